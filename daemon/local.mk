# The daemon's core and shell, the two programs.  One file per line, sorted.

noinst_HEADERS += daemon/core/conf_keys.h
noinst_HEADERS += daemon/core/yaml.h
noinst_HEADERS += daemon/shell/fetch_parts.h
noinst_HEADERS += daemon/shell/loop_curl.h
noinst_HEADERS += daemon/shell/loop_parts.h
noinst_HEADERS += daemon/shell/tls_pin.h
noinst_HEADERS += include/dslat/base.h
noinst_HEADERS += include/dslat/buf.h
noinst_HEADERS += include/dslat/bus.h
noinst_HEADERS += include/dslat/clock.h
noinst_HEADERS += include/dslat/collector.h
noinst_HEADERS += include/dslat/conf.h
noinst_HEADERS += include/dslat/err.h
noinst_HEADERS += include/dslat/faults.h
noinst_HEADERS += include/dslat/fetch.h
noinst_HEADERS += include/dslat/hist.h
noinst_HEADERS += include/dslat/ingest.h
noinst_HEADERS += include/dslat/inventory.h
noinst_HEADERS += include/dslat/json.h
noinst_HEADERS += include/dslat/log.h
noinst_HEADERS += include/dslat/loop.h
noinst_HEADERS += include/dslat/map.h
noinst_HEADERS += include/dslat/mem.h
noinst_HEADERS += include/dslat/model.h
noinst_HEADERS += include/dslat/notify.h
noinst_HEADERS += include/dslat/protocol.h
noinst_HEADERS += include/dslat/query.h
noinst_HEADERS += include/dslat/ring.h
noinst_HEADERS += include/dslat/sample.h
noinst_HEADERS += include/dslat/targets.h
noinst_HEADERS += include/dslat/threshold.h
noinst_HEADERS += include/dslat/units.h
noinst_HEADERS += include/dslat/utf8.h
noinst_HEADERS += include/dslat/web.h
noinst_HEADERS += daemon/core/model_private.h

libdslat_a_SOURCES += daemon/base/buf.c
libdslat_a_SOURCES += daemon/base/clock.c
libdslat_a_SOURCES += daemon/base/err.c
libdslat_a_SOURCES += daemon/base/json.c
libdslat_a_SOURCES += daemon/base/log.c
libdslat_a_SOURCES += daemon/base/map.c
libdslat_a_SOURCES += daemon/base/mem.c
libdslat_a_SOURCES += daemon/base/units.c
libdslat_a_SOURCES += daemon/base/utf8.c
libdslat_a_SOURCES += daemon/core/bus.c
libdslat_a_SOURCES += daemon/core/hist.c
libdslat_a_SOURCES += daemon/core/ingest.c
libdslat_a_SOURCES += daemon/core/inventory.c
libdslat_a_SOURCES += daemon/core/model.c
libdslat_a_SOURCES += daemon/core/model_apply.c
libdslat_a_SOURCES += daemon/core/query.c
libdslat_a_SOURCES += daemon/core/ring.c
libdslat_a_SOURCES += daemon/core/sample.c
libdslat_a_SOURCES += daemon/core/scan.c
libdslat_a_SOURCES += daemon/core/state.c
libdslat_a_SOURCES += daemon/core/tally.c

libdslat_a_SOURCES += daemon/core/conf.c
libdslat_a_SOURCES += daemon/core/conf_check.c
libdslat_a_SOURCES += daemon/core/conf_dump.c
libdslat_a_SOURCES += daemon/core/conf_keys.c
libdslat_a_SOURCES += daemon/core/conf_thresholds.c
libdslat_a_SOURCES += daemon/core/conf_unknown.c
libdslat_a_SOURCES += daemon/core/conf_url.c
libdslat_a_SOURCES += daemon/core/conf_value.c
libdslat_a_SOURCES += daemon/core/faults.c
libdslat_a_SOURCES += daemon/core/protocol.c
libdslat_a_SOURCES += daemon/core/threshold.c
libdslat_a_SOURCES += daemon/core/yaml.c

libdslat_a_SOURCES += daemon/shell/conf_file.c
libdslat_a_SOURCES += daemon/shell/fetch.c
libdslat_a_SOURCES += daemon/shell/fetch_err.c
libdslat_a_SOURCES += daemon/shell/fetch_url.c
libdslat_a_SOURCES += daemon/shell/loop.c
libdslat_a_SOURCES += daemon/shell/loop_signal.c
libdslat_a_SOURCES += daemon/shell/loop_timer.c
libdslat_a_SOURCES += daemon/shell/notify.c
libdslat_a_SOURCES += daemon/shell/tls_pin.c
libdslat_a_SOURCES += daemon/shell/targets.c

sbin_PROGRAMS += dslatd
dslatd_SOURCES = daemon/main.c
dslatd_LDADD = $(DSLAT_LIBS)

bin_PROGRAMS += dslat
dslat_SOURCES = daemon/cli/cli.c
dslat_LDADD = $(DSLAT_LIBS)

# ---- manual pages ----
dist_man_MANS = daemon/dslatd.8
dist_man_MANS += daemon/dslatd.yaml.5
