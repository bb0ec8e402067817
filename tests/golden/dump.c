#include "dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "../../collectors/vsphere/perf.h"
#include "../../collectors/vsphere/props.h"
#include "../../collectors/vsphere/versions.h"

/* ---- perf ---- */

static void
perf_entity(void *arg, const char *moref, const real_t *stamps, size_t n)
{
	struct buf *out = arg;
	char text[REAL_TEXT_SIZE];

	buf_addf(out, "entity \"%s\"\n  stamps", moref);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, " %s", real_format(stamps[i], text));
	buf_addc(out, '\n');
}

static void
perf_one_series(void *arg, int32_t counter_id, const char *instance,
		size_t instance_len, const int64_t *values, size_t n)
{
	struct buf *out = arg;

	if (strlen(instance) != instance_len)
		abort();
	buf_addf(out, "  series %d \"%s\":", (int)counter_id, instance);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, " %lld", (long long)values[i]);
	buf_addc(out, '\n');
}

static void
perf_entity_end(void *arg)
{
	buf_adds(arg, "end\n");
}

static const struct perf_sink perf_sink = { perf_entity, perf_one_series,
					    perf_entity_end };

static struct answer *
new_perf(struct buf *out, struct gather *g unused)
{
	return perf_answer(&perf_sink, out);
}

static void
dump_perf(struct buf *out, struct answer *r)
{
	buf_addf(out, "%zu entities, %zu series\n", perf_entities(r),
		 perf_series(r));
}

/* ---- session ---- */

static struct answer *
new_content(struct buf *out unused, struct gather *g unused)
{
	return service_content_answer();
}

static void
dump_content(struct buf *out, struct answer *r)
{
	struct service_content *sc = service_content_take(r);

	buf_addf(out,
		 "rootFolder %s\npropertyCollector %s\nviewManager %s\n"
		 "sessionManager %s\nperfManager %s\neventManager %s\n"
		 "fullName %s\nversion %s\nbuild %s\napiType %s (%s)\n"
		 "apiVersion %s\ninstanceUuid %s\n",
		 sc->root_folder, sc->property_collector, sc->view_manager,
		 sc->session_manager, sc->perf_manager, sc->event_manager,
		 sc->full_name, sc->version, sc->build, sc->api_type,
		 service_is_vcenter(sc) ? "vCenter" : "host", sc->api_version,
		 sc->instance_uuid);
	service_content_free(&sc);
}

static struct answer *
new_login(struct buf *out unused, struct gather *g unused)
{
	return service_login_answer();
}

static void
dump_login(struct buf *out, struct answer *r)
{
	buf_addf(out, "session %s\n", service_login_get(r));
}

static struct answer *
new_logout(struct buf *out unused, struct gather *g unused)
{
	return service_logout_answer();
}

static struct answer *
new_destroy(struct buf *out unused, struct gather *g unused)
{
	return service_view_destroy_answer();
}

static struct answer *
new_cancel(struct buf *out unused, struct gather *g unused)
{
	return props_cancel_answer();
}

static void
dump_nothing(struct buf *out, struct answer *r unused)
{
	buf_adds(out, "done\n");
}

static struct answer *
new_time(struct buf *out unused, struct gather *g unused)
{
	return service_time_answer();
}

static void
dump_time(struct buf *out, struct answer *r)
{
	buf_addf(out, "time_us %lld\n", (long long)service_time_get(r).us);
}

static struct answer *
new_view(struct buf *out unused, struct gather *g unused)
{
	return service_view_answer();
}

static void
dump_view(struct buf *out, struct answer *r)
{
	buf_addf(out, "view %s\n", service_view_get(r));
}

static struct answer *
new_versions(struct buf *out unused, struct gather *g unused)
{
	return versions_answer();
}

static void
dump_versions(struct buf *out, struct answer *r)
{
	const char *v = versions_get(r);

	buf_addf(out, "version %s\n", v != NULL ? v : "(none)");
}

/* ---- counters ---- */

static struct answer *
new_counters(struct buf *out unused, struct gather *g unused)
{
	return counters_answer();
}

static void
dump_counters(struct buf *out, struct answer *r)
{
	struct counters *c = counters_take(r);

	for (size_t i = 0; i < c->n; i++)
		buf_addf(out, "counter %d field %u unit %d%s\n",
			 (int)c->list[i].id, c->list[i].meaning.field,
			 (int)c->list[i].meaning.unit,
			 c->list[i].asked ? "" : " (not asked)");
	buf_addf(out, "fields 0x%02x\n", c->field_mask);
	if (c->problem != NULL)
		buf_addf(out, "problem: %s\n", c->problem);
	counters_free(&c);
}

/* ---- inventory ---- */

static struct answer *
new_first_page(struct buf *out unused, struct gather *g)
{
	return gather_answer(g, false);
}

static struct answer *
new_next_page(struct buf *out unused, struct gather *g)
{
	return gather_answer(g, true);
}

static void
dump_page(struct buf *out, struct answer *r)
{
	const char *token = props_token(r);

	buf_addf(out, "%zu objects, token %s\n", props_objects(r),
		 token != NULL ? token : "(none)");
}

static const char *
or_null(const char *s)
{
	return s != NULL ? s : "(null)";
}

static void
dump_datastore(struct buf *out, const struct inventory *inv,
	       const struct inv_datastore *d)
{
	buf_addf(out,
		 "datastore %s uuid=%s name=\"%s\" datacenter=%s fs=%s\n"
		 "  protocol=%s%s",
		 d->moref, or_null(d->uuid), or_null(d->name),
		 or_null(d->datacenter), or_null(d->fs),
		 protocol_name(d->protocol),
		 d->protocol_known ? " of" : " (not known)");
	for (unsigned p = 0; p < N_PROTOCOLS; p++)
		if ((d->protocols & 1u << p) != 0)
			buf_addf(out, " %s", protocol_name((enum protocol)p));
	buf_addf(out,
		 "\n  backing=\"%s\"\n  accessible=%d maintenance=%d "
		 "capacity_bytes=%lld free_bytes=%lld\n",
		 or_null(d->backing), d->accessible, d->maintenance,
		 (long long)d->capacity_bytes, (long long)d->free_bytes);
	for (size_t i = 0; i < d->n_mounts; i++)
		buf_addf(out, "  mount %s mounted=%d accessible=%d reason=%s\n",
			 inv->hosts[d->mounts[i].host].moref,
			 d->mounts[i].mounted, d->mounts[i].accessible,
			 or_null(d->mounts[i].reason));
}

void
dump_inventory(struct buf *out, struct gather *g)
{
	const char *problem = gather_problem(g);
	struct inventory *inv;

	buf_addf(out, "problem %s\n", or_null(problem));
	inv = gather_take(g);
	for (size_t i = 0; i < inv->n_hosts; i++) {
		const struct inv_host *h = &inv->hosts[i];

		buf_addf(out,
			 "host %s name=\"%s\" uuid=%s cluster=%s datacenter=%s "
			 "version=%s connected=%d maintenance=%d\n",
			 h->moref, or_null(h->name), or_null(h->system_uuid),
			 or_null(h->cluster), or_null(h->datacenter),
			 or_null(h->version), h->connected, h->maintenance);
	}
	for (size_t i = 0; i < inv->n_datastores; i++)
		dump_datastore(out, inv, &inv->datastores[i]);
	buf_addf(out, "denied %zu\n", inv->n_denied);
	inventory_free(&inv);
}

/* ---- all of them ---- */

static const struct {
	const char *name;
	struct answer *(*make)(struct buf *out, struct gather *g);
	void (*dump)(struct buf *out, struct answer *r);
} methods[] = {
	{ "basic", new_first_page, dump_page },
	{ "basicnext", new_next_page, dump_page },
	{ "cancel", new_cancel, dump_nothing },
	{ "content", new_content, dump_content },
	{ "counters", new_counters, dump_counters },
	{ "destroy", new_destroy, dump_nothing },
	{ "login", new_login, dump_login },
	{ "logout", new_logout, dump_nothing },
	{ "nvme", new_first_page, dump_page },
	{ "perf", new_perf, dump_perf },
	{ "storage", new_first_page, dump_page },
	{ "storagenext", new_next_page, dump_page },
	{ "time", new_time, dump_time },
	{ "versions", new_versions, dump_versions },
	{ "view", new_view, dump_view },
};

bool
dump_has_method(const char *method)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (strcmp(methods[i].name, method) == 0)
			return true;
	return false;
}

static void
feed_all(struct answer *r, const struct dump_feed *f)
{
	size_t piece = f->chunk != 0 ? f->chunk : f->len, n;
	struct err e;

	if (f->split != 0 && answer_feed(r, f->data, f->split, &e) != 0)
		return;
	for (size_t at = f->split; at < f->len; at += n) {
		n = MIN(piece, f->len - at);
		if (answer_feed(r, f->data + at, n, &e) != 0)
			return;
	}
}

/* Without libxml2's own words: they change with its version. */
static void
dump_err(struct buf *out, const struct err *e)
{
	static const char stop[] = "not well-formed XML";
	const char *end = strstr(e->text, stop);
	size_t n = end != NULL ? (size_t)(end - e->text) + strlen(stop)
			       : strlen(e->text);

	buf_addf(out, "error %s: %.*s\n", err_code_name(e->code), (int)n,
		 e->text);
}

static void
dump_fault(struct buf *out, const struct soap_fault *f)
{
	if (f == NULL)
		return;
	buf_addf(out,
		 "fault %s object=\"%s\" privilege=\"%s\" "
		 "property=\"%s\"\n",
		 f->type, f->object, f->privilege, f->property);
}

int
dump_answer(struct buf *out, const char *method, struct gather *g,
	    const struct dump_feed *feed)
{
	struct answer *r;
	struct err e;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		if (strcmp(methods[i].name, method) != 0)
			continue;
		r = methods[i].make(out, g);
		feed_all(r, feed);
		rc = answer_finish(r, feed->status, &e);
		if (rc == 0) {
			methods[i].dump(out, r);
		} else {
			dump_err(out, &e);
			dump_fault(out, answer_fault(r));
		}
		answer_free(&r);
		return rc;
	}
	abort();
}

void
dump_read_file(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "rb");
	char chunk[65536];
	size_t n;

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	while ((n = fread(chunk, 1, sizeof(chunk), f)) != 0)
		buf_add(b, chunk, n);
	if (ferror(f) || b->full) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
}
