#include "dslat/discover.h"

#include <inttypes.h>
#include <string.h>

#include "anon.h"
#include "config.h"
#include "dslat/fetch.h"
#include "perf.h"
#include "refresh.h"
#include "session.h"

#define ANSWER_BYTES ((size_t)256 << 20)
#define HOSTS_ASKED 2
#define SAMPLES_ASKED 15

struct discover {
	struct loop *loop;
	struct session *session;
	struct session_tap tap;
	struct refresh *refresh;
	struct anon *anon;
	discover_write_fn write;
	void *arg;
	struct buf answer; /* of the call in flight, as it comes */
	struct inventory *inv;
	bool asks_luns;                 /* in the QueryPerf under way */
	size_t series, values, missing; /* of QueryPerf */
	bool done;
	struct err err; /* the first one */
};

static void
flush(struct discover *d, struct buf *b)
{
	d->write(d->arg, buf_str(b), b->len);
	buf_fini(b);
}

/* ---- answers as they come ----------------------------------------------- */

static void
tap_data(void *arg, const char *data, size_t len)
{
	struct discover *d = arg;

	if (buf_add(&d->answer, data, len) != 0)
		return; /* it says so itself: full */
}

static void
tap_end(void *arg, const char *name, const struct fetch_result *r)
{
	struct discover *d = arg;
	struct buf b;

	buf_init(&b, 2 * ANSWER_BYTES);
	buf_addf(&b, "\n== %s: HTTP %d, %zu bytes, %" PRId64 " ms%s\n", name,
		 r->status, r->bytes, r->elapsed_us / US_PER_MS,
		 d->answer.full ? ", too large to show" : "");
	if (r->err.code != ERR_NONE) /* its text may name the server */
		buf_addf(&b, "(broke off: %s)\n", err_code_name(r->err.code));
	if (strcmp(name, "Login") == 0 && r->status == 200)
		buf_adds(&b, "(not shown)\n");
	else
		anon_xml(d->anon, &b, buf_str(&d->answer), d->answer.len);
	buf_addc(&b, '\n');
	flush(d, &b);
	buf_fini(&d->answer);
}

/* ---- what dslat made of them -------------------------------------------- */

static void
add_anon(struct discover *d, struct buf *b, const char *text)
{
	size_t start = b->len;

	if (text == NULL)
		buf_adds(b, "-");
	else
		anon_text(d->anon, b, text, strlen(text));
	for (size_t i = start; i < b->len; i++) /* one line stays one */
		if ((unsigned char)b->data[i] < 0x20)
			b->data[i] = '?';
}

static void
add_host(struct discover *d, struct buf *b, const struct inv_host *h)
{
	buf_adds(b, "host ");
	add_anon(d, b, h->name);
	buf_addf(b, " version %s%s%s\n", h->version != NULL ? h->version : "-",
		 h->connected ? "" : " not connected",
		 h->maintenance ? " maintenance" : "");
}

static void
add_datastore(struct discover *d, struct buf *b, const struct inv_datastore *ds)
{
	size_t mounted = 0;

	for (size_t i = 0; i < ds->n_mounts; i++)
		mounted += ds->mounts[i].mounted;
	buf_adds(b, "datastore ");
	add_anon(d, b, ds->name);
	buf_addf(b, " fs %s protocol %s protocols",
		 ds->fs != NULL ? ds->fs : "-", protocol_name(ds->protocol));
	for (enum protocol p = 0; p < N_PROTOCOLS; p++)
		if ((ds->protocols & 1u << p) != 0)
			buf_addf(b, " %s", protocol_name(p));
	buf_adds(b, " uuid ");
	add_anon(d, b, ds->uuid);
	buf_adds(b, " backing ");
	add_anon(d, b, ds->backing);
	buf_addf(b, " mounts %zu of %zu%s\n", mounted, ds->n_mounts,
		 ds->accessible ? "" : " inaccessible");
}

static void
add_counters(const struct counters *c, struct buf *b)
{
	for (size_t i = 0; i < c->n; i++)
		buf_addf(b, "counter %" PRId32 " field %d unit %d%s\n",
			 c->list[i].id, (int)c->list[i].meaning.field,
			 (int)c->list[i].meaning.unit,
			 c->list[i].asked ? "" : " not asked");
	if (c->problem != NULL)
		buf_addf(b, "counters: %s\n", c->problem);
}

static void
write_understood(struct discover *d, const struct inventory *inv)
{
	struct buf b;

	buf_init(&b, ANSWER_BYTES);
	buf_adds(&b, "\n== understood\n");
	add_counters(session_counters(d->session), &b);
	for (size_t i = 0; i < inv->n_hosts; i++)
		add_host(d, &b, &inv->hosts[i]);
	for (size_t i = 0; i < inv->n_datastores; i++)
		add_datastore(d, &b, &inv->datastores[i]);
	buf_addf(&b, "%zu hosts, %zu datastores, %zu properties denied\n",
		 inv->n_hosts, inv->n_datastores, inv->n_denied);
	flush(d, &b);
}

/* ---- one step after the other ------------------------------------------- */

static void
on_closed(void *arg, const struct err *e unused)
{
	struct discover *d = arg;

	d->done = true;
}

/* e NULL: all went well. */
static void
end(struct discover *d, const struct err *e)
{
	if (e != NULL)
		d->err = *e;
	if (session_is_logged_in(d->session))
		session_close(d->session, on_closed, d);
	else
		d->done = true;
}

static void
count_entity(void *arg unused, const char *moref unused,
	     const real_t *stamps unused, size_t n unused)
{
}

static void
count_series(void *arg, int32_t counter_id unused, const char *instance unused,
	     size_t instance_len unused, const int64_t *values, size_t n)
{
	struct discover *d = arg;

	d->series++;
	for (size_t i = 0; i < n; i++)
		if (values[i] >= 0)
			d->values++;
		else
			d->missing++;
}

static void
count_entity_end(void *arg unused)
{
}

static const struct perf_sink perf_sink = { count_entity, count_series,
					    count_entity_end };

static void ask_perf(struct discover *d, bool luns);

static void
on_perf(void *arg, struct answer *r unused, const struct err *e)
{
	struct discover *d = arg;
	struct buf b;

	if (e != NULL && e->code == ERR_FAULT && d->asks_luns) {
		ask_perf(d, false); /* as the poller would */
		return;
	}
	buf_init(&b, 4096);
	buf_addf(&b, "\n== understood\n%zu series, %zu values, %zu missing\n",
		 d->series, d->values, d->missing);
	flush(d, &b);
	end(d, e);
}

/* A few hosts, for their datastores and, if there are any, their LUNs. */
static void
ask_perf(struct discover *d, bool luns)
{
	struct perf_query queries[HOSTS_ASKED];
	size_t n = 0;
	struct buf b;

	d->asks_luns = luns;
	for (size_t i = 0; i < d->inv->n_hosts && n < HOSTS_ASKED; i++)
		if (d->inv->hosts[i].connected)
			queries[n++] = (struct perf_query){
				.host = d->inv->hosts[i].moref,
				.max_sample = SAMPLES_ASKED,
				.luns = luns,
				.lun_ios = luns,
			};
	if (n == 0) {
		end(d, NULL);
		return;
	}
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	perf_write_request(&b, session_content(d->session)->perf_manager,
			   queries, n, session_counters(d->session));
	session_call(d->session, &b, perf_answer(&perf_sink, d), &session_large,
		     on_perf, d);
}

static void
on_inventory(void *arg, struct inventory *inv, const struct err *e)
{
	struct discover *d = arg;
	bool luns = false;

	if (e != NULL) {
		end(d, e);
		return;
	}
	d->inv = inv;
	write_understood(d, inv);
	for (size_t i = 0; i < inv->n_datastores; i++)
		luns = luns || inv->datastores[i].n_extents != 0;
	ask_perf(d, luns);
}

static void
on_open(void *arg, const struct err *e)
{
	struct discover *d = arg;

	if (e != NULL)
		end(d, e);
	else
		refresh_start(d->refresh, true, on_inventory, d);
}

static void
write_head(struct discover *d)
{
	char now[REAL_TEXT_SIZE];
	struct buf b;

	buf_init(&b, 4096);
	buf_addf(&b,
		 "dslat " PACKAGE_VERSION
		 " discover, %s\n"
		 "Answers of a target.  Names, addresses and identifiers are"
		 " pseudonyms, the\nsame for the same.  Please look through"
		 " this before you pass it on.\n",
		 real_format(loop_now(d->loop).real, now));
	flush(d, &b);
}

int
discover_run(struct loop *l, const struct conf_target *conf,
	     discover_write_fn write, void *arg, struct err *e)
{
	struct discover d = { .loop = l, .write = write, .arg = arg };

	d.session = session_new(l, conf, e);
	if (d.session == NULL)
		return -1;
	d.anon = anon_new();
	d.refresh = refresh_new(d.session);
	d.tap = (struct session_tap){ tap_data, tap_end, &d };
	buf_init(&d.answer, ANSWER_BYTES);
	session_set_tap(d.session, &d.tap);
	write_head(&d);
	session_open(d.session, on_open, &d);
	while (!d.done)
		loop_turn(l, -1);
	inventory_free(&d.inv);
	refresh_free(&d.refresh);
	session_free(&d.session);
	anon_free(&d.anon);
	buf_fini(&d.answer);
	*e = d.err;
	return d.err.code == ERR_NONE ? 0 : -1;
}
