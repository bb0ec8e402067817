/*
 * web.h - the HTTP side of the daemon: pages, API, metrics, live stream.
 *
 * Reads the site, never changes it; hears of new samples on its bus.  Writes
 * (silences, notes, acknowledgements) go to the watch.  Loop thread only.
 */
#ifndef DSLAT_WEB_H
#define DSLAT_WEB_H

#include "dslat/loop.h"
#include "dslat/model.h"

struct web;
struct store;
struct watch;
struct notifiers;

/* What pages and API show; all must outlive the web.  NULL but for the site:
 * that part is not there, and its paths say so. */
struct web_parts {
	struct site *site;
	struct store *store;
	struct watch *watch;
	struct notifiers *notifiers;
};

struct web *web_new(struct loop *l, const struct web_parts *parts) must_check;
/* Closes all connections at once and removes Unix sockets. */
void web_free(struct web **w);
/* `web:` of the configuration; before web_listen(), and after a reload.  -1: a
 * certificate that cannot be used; what was in force stays. */
struct conf_web;
int web_apply(struct web *w, const struct conf_web *c, struct err *e)
	must_check;
/* For dslatd -t: would web_apply() take the certificate?  And is every line of
 * the tokens file good?  (It starts without, and nobody can write.) */
int web_check_tls(const struct conf_web *c, struct err *e) must_check;
int web_check_tokens(const struct conf_web *c, struct err *e) must_check;
/* One word of the configuration's `listen`: "127.0.0.1:9969", "[::1]:9969",
 * "*:9969", "name:9969", "unix:/path"; port 0 is the kernel's choice.  The
 * error says the cure. */
int web_listen(struct web *w, const char *word, struct err *e) must_check;
/* Where it really listens: "http://127.0.0.1:9969/" or "unix:/path"; NULL
 * behind the last.  Borrowed. */
const char *web_address(const struct web *w, size_t i);

#endif
