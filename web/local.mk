# The HTTP server and the pages it carries.  One file per line, sorted.

noinst_HEADERS += web/accept.h
noinst_HEADERS += web/api.h
noinst_HEADERS += web/assets.h
noinst_HEADERS += web/auth.h
noinst_HEADERS += web/body.h
noinst_HEADERS += web/conns.h
noinst_HEADERS += web/cursor.h
noinst_HEADERS += web/expo.h
noinst_HEADERS += web/guard.h
noinst_HEADERS += web/gzip.h
noinst_HEADERS += web/handlers.h
noinst_HEADERS += web/hostname.h
noinst_HEADERS += web/http.h
noinst_HEADERS += web/http_parts.h
noinst_HEADERS += web/jobs.h
noinst_HEADERS += web/list.h
noinst_HEADERS += web/listen.h
noinst_HEADERS += web/lookup.h
noinst_HEADERS += web/metrics.h
noinst_HEADERS += web/nearest.h
noinst_HEADERS += web/origin.h
noinst_HEADERS += web/page.h
noinst_HEADERS += web/param.h
noinst_HEADERS += web/reply.h
noinst_HEADERS += web/route.h
noinst_HEADERS += web/sessions.h
noinst_HEADERS += web/series_row.h
noinst_HEADERS += web/sse.h
noinst_HEADERS += web/sse_event.h
noinst_HEADERS += web/sse_ring.h
noinst_HEADERS += web/timeline.h
noinst_HEADERS += web/tls_files.h
noinst_HEADERS += web/tries.h
noinst_HEADERS += web/uri.h
noinst_HEADERS += web/walk.h
noinst_HEADERS += web/when.h

libdslat_a_SOURCES += web/accept.c
libdslat_a_SOURCES += web/api.c
libdslat_a_SOURCES += web/api_compare.c
libdslat_a_SOURCES += web/api_datastores.c
libdslat_a_SOURCES += web/api_events.c
libdslat_a_SOURCES += web/api_export.c
libdslat_a_SOURCES += web/api_groups.c
libdslat_a_SOURCES += web/api_hosts.c
libdslat_a_SOURCES += web/api_peaks.c
libdslat_a_SOURCES += web/api_notifiers.c
libdslat_a_SOURCES += web/api_incidents.c
libdslat_a_SOURCES += web/api_series.c
libdslat_a_SOURCES += web/api_session.c
libdslat_a_SOURCES += web/api_status.c
libdslat_a_SOURCES += web/api_writes.c
libdslat_a_SOURCES += web/auth.c
libdslat_a_SOURCES += web/body.c
libdslat_a_SOURCES += web/conns.c
libdslat_a_SOURCES += web/cursor.c
libdslat_a_SOURCES += web/expo.c
libdslat_a_SOURCES += web/guard.c
libdslat_a_SOURCES += web/gzip.c
libdslat_a_SOURCES += web/hostname.c
libdslat_a_SOURCES += web/http.c
libdslat_a_SOURCES += web/http_exchange.c
libdslat_a_SOURCES += web/http_tls.c
libdslat_a_SOURCES += web/jobs.c
libdslat_a_SOURCES += web/list.c
libdslat_a_SOURCES += web/listen.c
libdslat_a_SOURCES += web/lookup.c
libdslat_a_SOURCES += web/metrics.c
libdslat_a_SOURCES += web/metrics_families.c
libdslat_a_SOURCES += web/metrics_notifiers.c
libdslat_a_SOURCES += web/metrics_store.c
libdslat_a_SOURCES += web/nearest.c
libdslat_a_SOURCES += web/origin.c
libdslat_a_SOURCES += web/page.c
libdslat_a_SOURCES += web/param.c
libdslat_a_SOURCES += web/reply.c
libdslat_a_SOURCES += web/route.c
libdslat_a_SOURCES += web/sessions.c
libdslat_a_SOURCES += web/series_row.c
libdslat_a_SOURCES += web/sse.c
libdslat_a_SOURCES += web/sse_event.c
libdslat_a_SOURCES += web/sse_ring.c
libdslat_a_SOURCES += web/static.c
libdslat_a_SOURCES += web/timeline.c
libdslat_a_SOURCES += web/tls_files.c
libdslat_a_SOURCES += web/tries.c
libdslat_a_SOURCES += web/uri.c
libdslat_a_SOURCES += web/walk.c
libdslat_a_SOURCES += web/web.c
libdslat_a_SOURCES += web/when.c

# ---- the page ----
# The files embedded in the program; those of web/vendor are fetched.
page_files =
page_files += web/assets/api.js
page_files += web/assets/app.js
page_files += web/assets/axes.js
page_files += web/assets/chart.js
page_files += web/assets/clock.js
page_files += web/assets/colors.css
page_files += web/assets/detail.js
page_files += web/assets/dom.js
page_files += web/assets/format.js
page_files += web/assets/formdialog.js
page_files += web/assets/header.js
page_files += web/assets/heldlist.js
page_files += web/assets/icon.svg
page_files += web/assets/incidentchart.js
page_files += web/assets/incidents.js
page_files += web/assets/incidentspage.js
page_files += web/assets/incidentwords.js
page_files += web/assets/index.html
page_files += web/assets/inventory.js
page_files += web/assets/keys.js
page_files += web/assets/live.js
page_files += web/assets/loader.js
page_files += web/assets/login.css
page_files += web/assets/login.js
page_files += web/assets/marker.js
page_files += web/assets/options.js
page_files += web/assets/overlay.js
page_files += web/assets/overview.js
page_files += web/assets/overviewpage.js
page_files += web/assets/pages.css
page_files += web/assets/palette.js
page_files += web/assets/panel.js
page_files += web/assets/panels.css
page_files += web/assets/past.js
page_files += web/assets/peaks.js
page_files += web/assets/peakwatch.js
page_files += web/assets/protocol.js
page_files += web/assets/rights.js
page_files += web/assets/router.js
page_files += web/assets/silences.js
page_files += web/assets/store.js
page_files += web/assets/strip.css
page_files += web/assets/style.css
page_files += web/assets/table.css
page_files += web/assets/table.js
page_files += web/assets/targets.js
page_files += web/assets/timeline.js
page_files += web/assets/view.js
page_files += web/assets/words.js
page_files += web/assets/writes.js
vendor_files = web/vendor/uPlot.min.js web/vendor/uPlot.min.css

EXTRA_DIST += $(page_files)
EXTRA_DIST += web/assets/types.d.ts
EXTRA_DIST += web/assets-none/index.html
EXTRA_DIST += web/embed.sh
EXTRA_DIST += web/fetch.sh
EXTRA_DIST += web/openapi.json
EXTRA_DIST += web/package-lock.json
EXTRA_DIST += web/package.json

if WEB_ASSETS
embedded_files = $(page_files) $(vendor_files) web/openapi.json
# A tarball carries what was fetched and builds without it.
EXTRA_DIST += $(vendor_files)
dist_doc_DATA = web/vendor/uPlot.LICENSE
else
embedded_files = web/assets-none/index.html web/openapi.json
endif

nodist_libdslat_a_SOURCES += web/assets.c
CLEANFILES += web/assets.c web/assets.c.tmp

web/assets.c: web/embed.sh $(embedded_files) Makefile
	$(AM_V_GEN)$(MKDIR_P) web && \
	$(SHELL) $(filter-out Makefile,$^) >$@.tmp && mv $@.tmp $@

# The module in npm's package is not minified, the script is.
# The touch at the end keeps all three in the order make expects.
web/vendor/uPlot.min.js: web/fetch.sh web/package-lock.json web/package.json
	$(AM_V_GEN)$(MKDIR_P) web/vendor && \
	NPM='$(NPM)' $(SHELL) $< $(srcdir)/web web/npm && \
	cd web/npm/node_modules/uplot && \
	cp LICENSE ../../../vendor/uPlot.LICENSE && \
	cp dist/uPlot.min.css ../../../vendor && \
	{ cat dist/uPlot.iife.min.js && echo 'export default uPlot;'; } \
	    >../../../vendor/js.tmp && \
	cd ../../../vendor && mv js.tmp uPlot.min.js && \
	touch uPlot.min.js uPlot.LICENSE uPlot.min.css
web/vendor/uPlot.min.css web/vendor/uPlot.LICENSE: web/vendor/uPlot.min.js
	@:

clean-web:
	rm -rf web/npm
clean-local: clean-web
.PHONY: clean-web
