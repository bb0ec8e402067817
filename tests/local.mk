# The tests.  One line per test, sorted.

# Programs of this folder link with LDADD.  tests/libfuzz_replay.a has the
# main() that feeds a fuzz target its corpus; programs with a main of their own
# do not take it.
LDADD = tests/libfuzz_replay.a $(DSLAT_LIBS) $(CMOCKA_LIBS)
AM_TESTS_ENVIRONMENT = CC='$(CC)'; export CC; \
	PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE; \
	CHECK_CFLAGS='-D_GNU_SOURCE $(LIB_CPPFLAGS) -std=c11'; export CHECK_CFLAGS; \
	SANITIZERS='$(SAN_CFLAGS)'; export SANITIZERS; \
	top_srcdir='$(top_srcdir)'; export top_srcdir; \
	top_builddir='$(top_builddir)'; export top_builddir;
TEST_EXTENSIONS = .py .sh
# Debian's, whose modules install-deps.sh installs
PY_LOG_COMPILER = /usr/bin/python3
SH_LOG_COMPILER = $(SHELL)

# ---- unit tests: tests/unit/test_<module>.c with cmocka ----
noinst_HEADERS += tests/unit/conf_faults.h
noinst_HEADERS += tests/unit/incident_stage.h
noinst_HEADERS += tests/unit/unit.h
unit_programs =
unit_programs += tests/unit/test_accept
unit_programs += tests/unit/test_anon
unit_programs += tests/unit/test_buf
unit_programs += tests/unit/test_chunk
unit_programs += tests/unit/test_classify
unit_programs += tests/unit/test_clock
unit_programs += tests/unit/test_compare
unit_programs += tests/unit/test_conf
unit_programs += tests/unit/test_conf_faults
unit_programs += tests/unit/test_conf_file
unit_programs += tests/unit/test_conf_maintenance
unit_programs += tests/unit/test_conf_manual
unit_programs += tests/unit/test_conf_notify
unit_programs += tests/unit/test_conf_values
unit_programs += tests/unit/test_cursor
unit_programs += tests/unit/test_depth
unit_programs += tests/unit/test_digest
unit_programs += tests/unit/test_err
unit_programs += tests/unit/test_expo
unit_programs += tests/unit/test_faults
unit_programs += tests/unit/test_format
unit_programs += tests/unit/test_gzip
unit_programs += tests/unit/test_hist
unit_programs += tests/unit/test_hostname
unit_programs += tests/unit/test_incident
unit_programs += tests/unit/test_incident_json
unit_programs += tests/unit/test_incident_random
unit_programs += tests/unit/test_incident_state
unit_programs += tests/unit/test_incident_where
unit_programs += tests/unit/test_ingest
unit_programs += tests/unit/test_faults
unit_programs += tests/unit/test_gather
unit_programs += tests/unit/test_json
unit_programs += tests/unit/test_map
unit_programs += tests/unit/test_mem
unit_programs += tests/unit/test_model
unit_programs += tests/unit/test_perf
unit_programs += tests/unit/test_nearest
unit_programs += tests/unit/test_protocol
unit_programs += tests/unit/test_query
unit_programs += tests/unit/test_queue
unit_programs += tests/unit/test_render
unit_programs += tests/unit/test_ring
unit_programs += tests/unit/test_roll
unit_programs += tests/unit/test_route
unit_programs += tests/unit/test_schedule
unit_programs += tests/unit/test_silence
unit_programs += tests/unit/test_side
unit_programs += tests/unit/test_sentence
unit_programs += tests/unit/test_soap
unit_programs += tests/unit/test_stats
EXTRA_DIST += tests/unit/data/stats.py
EXTRA_DIST += tests/unit/data/stats.txt
unit_programs += tests/unit/test_table
unit_programs += tests/unit/test_text
unit_programs += tests/unit/test_sse_ring
unit_programs += tests/unit/test_threshold
unit_programs += tests/unit/test_units
unit_programs += tests/unit/test_uri
unit_programs += tests/unit/test_tokens
unit_programs += tests/unit/test_utf8
unit_programs += tests/unit/test_versions
unit_programs += tests/unit/test_vhost
unit_programs += tests/unit/test_xml
unit_programs += tests/unit/test_xsd
unit_programs += tests/unit/test_when
unit_programs += tests/unit/test_yaml
unit_programs += tests/unit/test_zip

tests_unit_test_incident_SOURCES = tests/unit/incident_stage.c \
	tests/unit/test_incident.c
tests_unit_test_incident_random_SOURCES = tests/unit/incident_stage.c \
	tests/unit/test_incident_random.c
tests_unit_test_incident_state_SOURCES = tests/unit/incident_stage.c \
	tests/unit/test_incident_state.c
tests_unit_test_incident_where_SOURCES = tests/unit/incident_stage.c \
	tests/unit/test_incident_where.c

# ---- the shell and the dslat program on real sockets: tests/shell, tests/cli
noinst_HEADERS += tests/shell/certs.h
noinst_HEADERS += tests/shell/outcome.h
noinst_HEADERS += tests/shell/server.h
noinst_HEADERS += tests/store/rig.h
# ---- scenes: the collector against the simulator, in virtual time ----
scene_programs = tests/scenes/test_depth_scenes
scene_programs += tests/scenes/test_incident_scenes
scene_programs += tests/scenes/test_scenes
tests_scenes_test_depth_scenes_SOURCES = tests/scenes/stage.c \
	tests/scenes/test_depth_scenes.c
tests_scenes_test_incident_scenes_SOURCES = tests/scenes/stage.c \
	tests/scenes/test_incident_scenes.c
tests_scenes_test_scenes_SOURCES = tests/scenes/stage.c tests/scenes/test_scenes.c
noinst_HEADERS += tests/scenes/stage.h

# ---- notifiers and real receivers: tests/run.sh --only notify ----
check_PROGRAMS += tests/notify/teller
tests_notify_teller_SOURCES = tests/notify/teller.c
tests_notify_teller_LDADD = $(DSLAT_LIBS)
EXTRA_DIST += tests/notify/check_dslatd.py
EXTRA_DIST += tests/notify/check_notify.py
EXTRA_DIST += tests/notify/receivers.py

shell_programs =
shell_programs += tests/cli/test_cli
shell_programs += tests/shell/test_db
shell_programs += tests/shell/test_fetch
shell_programs += tests/shell/test_history
shell_programs += tests/shell/test_loop
shell_programs += tests/shell/test_notifiers
shell_programs += tests/shell/test_notify
shell_programs += tests/shell/test_pace
shell_programs += tests/shell/test_send
shell_programs += tests/shell/test_park
shell_programs += tests/shell/test_tls
shell_programs += tests/shell/test_worker
shell_programs += tests/shell/test_watch
shell_programs += tests/store/test_store
shell_server = tests/shell/server.c tests/shell/server.h
shell_certs = tests/shell/certs.c tests/shell/certs.h
tests_cli_test_cli_SOURCES = tests/cli/test_cli.c $(shell_server) \
	$(shell_certs)
EXTRA_tests_cli_test_cli_DEPENDENCIES = dslat
tests_shell_test_worker_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_shell_test_db_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_shell_test_fetch_SOURCES = tests/shell/test_fetch.c $(shell_server)
tests_shell_test_pace_SOURCES = tests/shell/test_pace.c $(shell_server)
tests_shell_test_notifiers_SOURCES = tests/shell/test_notifiers.c \
	$(shell_server)
tests_shell_test_send_SOURCES = tests/shell/test_send.c $(shell_server)
store_rig = tests/store/rig.c tests/store/rig.h
tests_store_test_store_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_store_test_store_SOURCES = tests/store/test_store.c $(store_rig)
# A store to be killed, on disks that fail: tests/store/*.py, a ring of run.sh
check_PROGRAMS += tests/store/driver
tests_store_driver_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_store_driver_LDADD = $(DSLAT_LIBS)
tests_store_driver_SOURCES = tests/store/driver.c $(store_rig)
EXTRA_DIST += tests/store/oracle.py
EXTRA_DIST += tests/store/test_daemon.py
EXTRA_DIST += tests/store/test_disk.py
EXTRA_DIST += tests/store/test_kill.py
tests_shell_test_tls_SOURCES = tests/shell/test_tls.c $(shell_server) \
	$(shell_certs)

# ---- decoders against golden files: tests/golden/<case>/{N-METHOD.xml,expected}
noinst_HEADERS += tests/golden/dump.h
golden_programs = tests/golden/ask tests/golden/golden
tests_golden_ask_SOURCES = tests/golden/ask.c tests/golden/dump.c
tests_golden_ask_LDADD = $(DSLAT_LIBS)
tests_golden_golden_SOURCES = tests/golden/golden.c tests/golden/dump.c
tests_golden_golden_LDADD = $(DSLAT_LIBS)
EXTRA_DIST += tests/golden/recorded.py
# The cases; not the folder itself, which has objects beside them in a build.
EXTRA_DIST += $(patsubst $(srcdir)/%/,%,$(wildcard $(srcdir)/tests/golden/*/))

# ---- benchmarks: make bench ----
bench_programs =
bench_programs += tests/bench/bench_parse
bench_programs += tests/bench/bench_poll
bench_programs += tests/bench/bench_store
bench_programs += tests/bench/bench_history
bench_programs += tests/bench/bench_stats
tests_bench_bench_stats_LDADD = $(DSLAT_LIBS)
tests_bench_bench_parse_LDADD = $(DSLAT_LIBS)
tests_bench_bench_history_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bench_bench_history_LDADD = $(DSLAT_LIBS)
tests_bench_bench_store_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bench_bench_store_LDADD = $(DSLAT_LIBS)
tests_bench_bench_store_SOURCES = tests/bench/bench_store.c $(store_rig)
tests_bench_bench_poll_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bench_bench_poll_LDADD = $(DSLAT_LIBS)
tests_bench_bench_poll_SOURCES =
tests_bench_bench_poll_SOURCES += tests/bench/bench_poll.c
tests_bench_bench_poll_SOURCES += tests/bench/child.c
tests_bench_bench_poll_SOURCES += tests/bench/reader.c
tests_bench_bench_poll_SOURCES += tests/bench/rig.c
noinst_HEADERS += tests/bench/child.h
noinst_HEADERS += tests/bench/reader.h
noinst_HEADERS += tests/bench/rig.h
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
bench: $(bench_programs) tests/sim/dslat-sim
	@for program in $(bench_programs); do ./$$program || exit 1; done
.PHONY: bench

# ---- fuzz targets: tests/fuzz/fuzz_<decoder>.c, seeds in corpus/<decoder>/,
# two lines each:
#	fuzz_programs += tests/fuzz/fuzz_x
#	tests_fuzz_fuzz_x_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
check_LIBRARIES += tests/libfuzz_replay.a
tests_libfuzz_replay_a_SOURCES = tests/fuzz/replay.c
noinst_HEADERS += tests/fuzz/fuzz.h
EXTRA_DIST += tests/fuzz/corpus
EXTRA_DIST += tests/fuzz/conf.dict
EXTRA_DIST += tests/fuzz/counters.dict
EXTRA_DIST += tests/fuzz/perf.dict
EXTRA_DIST += tests/fuzz/props.dict
EXTRA_DIST += tests/fuzz/soap.dict
EXTRA_DIST += tests/fuzz/versions.dict
fuzzers: $(fuzz_programs)
.PHONY: fuzzers
fuzz_programs =
fuzz_programs += tests/fuzz/fuzz_anon
tests_fuzz_fuzz_anon_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_chunk
tests_fuzz_fuzz_chunk_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_clock
tests_fuzz_fuzz_clock_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_conf
tests_fuzz_fuzz_conf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_replies = tests/fuzz/replies.c tests/golden/dump.c
noinst_HEADERS += tests/fuzz/replies.h
fuzz_programs += tests/fuzz/fuzz_counters
tests_fuzz_fuzz_counters_SOURCES = tests/fuzz/fuzz_counters.c $(fuzz_replies)
tests_fuzz_fuzz_counters_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_perf
tests_fuzz_fuzz_perf_SOURCES = tests/fuzz/fuzz_perf.c $(fuzz_replies)
tests_fuzz_fuzz_perf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_props
tests_fuzz_fuzz_props_SOURCES = tests/fuzz/fuzz_props.c $(fuzz_replies)
tests_fuzz_fuzz_props_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_roll
tests_fuzz_fuzz_roll_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_soap
tests_fuzz_fuzz_soap_SOURCES = tests/fuzz/fuzz_soap.c $(fuzz_replies)
tests_fuzz_fuzz_soap_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_versions
tests_fuzz_fuzz_versions_SOURCES = tests/fuzz/fuzz_versions.c $(fuzz_replies)
tests_fuzz_fuzz_versions_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_tokens
tests_fuzz_fuzz_tokens_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
fuzz_programs += tests/fuzz/fuzz_uri
tests_fuzz_fuzz_uri_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)

# ---- the simulated vSphere (tests/sim/README.md), also the demo's source ----
noinst_PROGRAMS += tests/sim/dslat-sim
tests_sim_dslat_sim_LDADD = $(DSLAT_LIBS)
tests_sim_dslat_sim_SOURCES =
tests_sim_dslat_sim_SOURCES += tests/sim/control.c
tests_sim_dslat_sim_SOURCES += tests/sim/counters_table.c
tests_sim_dslat_sim_SOURCES += tests/sim/faults.c
tests_sim_dslat_sim_SOURCES += tests/sim/gzip.c
tests_sim_dslat_sim_SOURCES += tests/sim/http.c
tests_sim_dslat_sim_SOURCES += tests/sim/inventory.c
tests_sim_dslat_sim_SOURCES += tests/sim/keys.c
tests_sim_dslat_sim_SOURCES += tests/sim/main.c
tests_sim_dslat_sim_SOURCES += tests/sim/methods.c
tests_sim_dslat_sim_SOURCES += tests/sim/model.c
tests_sim_dslat_sim_SOURCES += tests/sim/options.c
tests_sim_dslat_sim_SOURCES += tests/sim/oracle.c
tests_sim_dslat_sim_SOURCES += tests/sim/oracle_luns.c
tests_sim_dslat_sim_SOURCES += tests/sim/perf_catalog.c
tests_sim_dslat_sim_SOURCES += tests/sim/perf_instances.c
tests_sim_dslat_sim_SOURCES += tests/sim/perf_query.c
tests_sim_dslat_sim_SOURCES += tests/sim/perf_render.c
tests_sim_dslat_sim_SOURCES += tests/sim/perf_value.c
tests_sim_dslat_sim_SOURCES += tests/sim/props.c
tests_sim_dslat_sim_SOURCES += tests/sim/props_datastore.c
tests_sim_dslat_sim_SOURCES += tests/sim/props_host.c
tests_sim_dslat_sim_SOURCES += tests/sim/props_manager.c
tests_sim_dslat_sim_SOURCES += tests/sim/props_paths.c
tests_sim_dslat_sim_SOURCES += tests/sim/props_storage.c
tests_sim_dslat_sim_SOURCES += tests/sim/protocols.c
tests_sim_dslat_sim_SOURCES += tests/sim/retrieve.c
tests_sim_dslat_sim_SOURCES += tests/sim/scene.c
tests_sim_dslat_sim_SOURCES += tests/sim/scene_fill.c
tests_sim_dslat_sim_SOURCES += tests/sim/scene_keys.c
tests_sim_dslat_sim_SOURCES += tests/sim/schema.c
tests_sim_dslat_sim_SOURCES += tests/sim/schema_entities.c
tests_sim_dslat_sim_SOURCES += tests/sim/schema_managers.c
tests_sim_dslat_sim_SOURCES += tests/sim/schema_storage.c
tests_sim_dslat_sim_SOURCES += tests/sim/select.c
tests_sim_dslat_sim_SOURCES += tests/sim/session.c
tests_sim_dslat_sim_SOURCES += tests/sim/simclock.c
tests_sim_dslat_sim_SOURCES += tests/sim/soap.c
tests_sim_dslat_sim_SOURCES += tests/sim/spoil.c
tests_sim_dslat_sim_SOURCES += tests/sim/stats.c
tests_sim_dslat_sim_SOURCES += tests/sim/storage.c
tests_sim_dslat_sim_SOURCES += tests/sim/stream.c
tests_sim_dslat_sim_SOURCES += tests/sim/strict.c
tests_sim_dslat_sim_SOURCES += tests/sim/tls.c
tests_sim_dslat_sim_SOURCES += tests/sim/tree.c
tests_sim_dslat_sim_SOURCES += tests/sim/versions.c
noinst_HEADERS += tests/sim/control.h
noinst_HEADERS += tests/sim/counters.h
noinst_HEADERS += tests/sim/faults.h
noinst_HEADERS += tests/sim/gzip.h
noinst_HEADERS += tests/sim/http.h
noinst_HEADERS += tests/sim/inventory.h
noinst_HEADERS += tests/sim/keys.h
noinst_HEADERS += tests/sim/methods.h
noinst_HEADERS += tests/sim/model.h
noinst_HEADERS += tests/sim/options.h
noinst_HEADERS += tests/sim/oracle.h
noinst_HEADERS += tests/sim/perf.h
noinst_HEADERS += tests/sim/perf_render.h
noinst_HEADERS += tests/sim/perf_value.h
noinst_HEADERS += tests/sim/props.h
noinst_HEADERS += tests/sim/props_storage.h
noinst_HEADERS += tests/sim/protocols.h
noinst_HEADERS += tests/sim/retrieve.h
noinst_HEADERS += tests/sim/rng.h
noinst_HEADERS += tests/sim/scene.h
noinst_HEADERS += tests/sim/scene_keys.h
noinst_HEADERS += tests/sim/schema.h
noinst_HEADERS += tests/sim/select.h
noinst_HEADERS += tests/sim/session.h
noinst_HEADERS += tests/sim/sim.h
noinst_HEADERS += tests/sim/simclock.h
noinst_HEADERS += tests/sim/soap.h
noinst_HEADERS += tests/sim/spoil.h
noinst_HEADERS += tests/sim/stats.h
noinst_HEADERS += tests/sim/storage.h
noinst_HEADERS += tests/sim/stream.h
noinst_HEADERS += tests/sim/strict.h
noinst_HEADERS += tests/sim/tls.h
noinst_HEADERS += tests/sim/tree.h
noinst_HEADERS += tests/sim/versions.h
EXTRA_DIST += tests/pyvmomi/accept.py
EXTRA_DIST += tests/pyvmomi/run.sh
EXTRA_DIST += tests/govmomi/main.go
EXTRA_DIST += tests/govmomi/run.py
EXTRA_DIST += tests/govmomi/run.sh
EXTRA_DIST += tests/sim/README.md
EXTRA_DIST += tests/sim/check_faults.py
EXTRA_DIST += tests/sim/check_sim.py
EXTRA_DIST += tests/sim/client.py
EXTRA_DIST += tests/sim/scenes

# ---- the HTTP server from outside: tests/web/test_*.py drive tests/web/serve,
# the real server over a site whose every value is known
noinst_HEADERS += tests/web/site.h
check_PROGRAMS += tests/web/serve
tests_web_serve_SOURCES = tests/web/serve.c tests/web/site.c
tests_web_serve_LDADD = $(DSLAT_LIBS)
web_scripts =
web_scripts += tests/web/test_api.py
web_scripts += tests/web/test_compare.py
web_scripts += tests/web/test_auth.py
web_scripts += tests/web/test_export.py
web_scripts += tests/web/test_history.py
web_scripts += tests/web/test_dslat.py
web_scripts += tests/web/test_http.py
web_scripts += tests/web/test_incidents.py
web_scripts += tests/web/test_metrics.py
web_scripts += tests/web/test_stream.py
web_scripts += tests/web/test_tls.py
web_scripts += tests/web/test_writes.py
EXTRA_DIST += tests/web/expect.py
EXTRA_DIST += tests/web/server.py
EXTRA_DIST += $(web_scripts)
TESTS += $(web_scripts)

# ---- scripts that look at the tree ----
test_scripts =
test_scripts += tests/check_banned.sh
test_scripts += tests/check_embed.sh
test_scripts += tests/check_fetch.sh
test_scripts += tests/check_headers.sh
test_scripts += tests/check_layers.sh
test_scripts += tests/check_manuals.sh
test_scripts += tests/check_selftest.sh
test_scripts += tests/check_service.sh
test_scripts += tests/check_size.sh
test_scripts += tests/check_units.sh
test_scripts += tests/integration/cli.sh
test_scripts += tests/integration/tls.sh
test_scripts += tests/integration/conf.sh
test_scripts += tests/integration/discover.sh
test_scripts += tests/integration/incidents.sh
test_scripts += tests/integration/signals.sh
test_scripts += tests/decoders.py
test_scripts += tests/golden.sh
test_scripts += tests/recorded.sh
EXTRA_DIST += tests/c_text.awk
EXTRA_DIST += tests/check_lib.sh

EXTRA_DIST += $(test_scripts)
check_PROGRAMS += $(fuzz_programs) $(golden_programs)
TESTS += $(test_scripts)
if !FUZZERS
TESTS += $(fuzz_programs)
endif
if HAVE_CMOCKA
check_PROGRAMS += $(unit_programs) $(shell_programs) $(scene_programs)
TESTS += $(unit_programs) $(shell_programs) $(scene_programs)
else
check-local:
	@echo 'make check needs cmocka (Debian: libcmocka-dev);' \
	    'install it and run configure again' >&2; exit 1
endif

# ---- the page in a browser: tests/e2e/run.sh, a ring of tests/run.sh ----
EXTRA_DIST += tests/e2e/browser.mjs
EXTRA_DIST += tests/e2e/harness.mjs
EXTRA_DIST += tests/e2e/incidents.mjs
EXTRA_DIST += tests/e2e/incidents.scene
EXTRA_DIST += tests/e2e/package-lock.json
EXTRA_DIST += tests/e2e/package.json
EXTRA_DIST += tests/e2e/page.mjs
EXTRA_DIST += tests/e2e/page.scene
EXTRA_DIST += tests/e2e/procs.mjs
EXTRA_DIST += tests/e2e/run.sh
EXTRA_DIST += tests/e2e/tsconfig.json
EXTRA_DIST += tests/e2e/types/uPlot.min.d.ts
EXTRA_DIST += tests/e2e/unit.test.mjs
