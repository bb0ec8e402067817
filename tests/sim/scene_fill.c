/* What scene lines leave open: morefs, uuids, LUNs, mounts; and lookups. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "rng.h"
#include "scene.h"
#include "scene_keys.h"

static void
fill(char **field, const char *value)
{
	if (*field == NULL)
		*field = xstrdup(value);
}

uint64_t
scene_hash(const struct scene *s, const char *text, uint64_t salt)
{
	return rng_text(text, rng_mix((uint64_t)s->server.seed ^ salt));
}

static int
fill_server(struct scene *s, struct err *e)
{
	struct scene_server *v = &s->server;

	fill(&v->kind, "vcenter");
	s->is_esxi = strcmp(v->kind, "esxi") == 0;
	if (!s->is_esxi && strcmp(v->kind, "vcenter") != 0)
		return err_set(e, ERR_CONF,
			       "server is vcenter or esxi, not \"%s\"",
			       v->kind);
	if (s->is_esxi && s->n_hosts != 1)
		return err_set(e, ERR_CONF, "an esxi server has one host");
	fill(&v->version, "8.0.3");
	fill(&v->build, "24022515");
	fill(&v->api, "8.0.3.0");
	fill(&v->user, "monitor@vsphere.local");
	fill(&v->password, "secret");
	fill(&v->uuid, "4d3c2b1a-9de0-40cb-9c47-61d494229f4f");
	if (v->element_limit == 0)
		v->element_limit = 500000;
	if (v->session_idle_s == 0)
		v->session_idle_s = 1800;
	if (v->max_sessions == 0)
		v->max_sessions = s->is_esxi ? 500 : 3000;
	if (v->late_pct != 0 && v->late_max_s == 0) {
		v->late_min_s = 3;
		v->late_max_s = 15;
	}
	return 0;
}

static void
fill_places(struct scene *s)
{
	if (s->n_dcs == 0) {
		s->dcs = xcalloc(1, sizeof(*s->dcs));
		s->n_dcs = 1;
		s->dcs[0].name =
			xstrdup(s->is_esxi ? "ha-datacenter" : "Datacenter");
	}
	if (s->n_clusters == 0 && s->n_hosts != 0) {
		s->clusters = xcalloc(1, sizeof(*s->clusters));
		s->n_clusters = 1;
		s->clusters[0].name =
			xstrdup(s->is_esxi ? s->hosts[0].name : "Cluster");
	}
	for (size_t i = 0; i < s->n_clusters; i++)
		fill(&s->clusters[i].datacenter, s->dcs[0].name);
	for (size_t i = 0; i < s->n_pods; i++)
		fill(&s->pods[i].datacenter, s->dcs[0].name);
}

static int
fill_host(struct scene *s, size_t i, struct err *e)
{
	struct scene_host *h = &s->hosts[i];
	uint64_t a = scene_hash(s, h->name, 1), b = rng_mix(a);
	char text[64];

	snprintf(text, sizeof(text), "host-%zu", 1001 + i);
	fill(&h->moref, s->is_esxi ? "ha-host" : text);
	snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx",
		 (unsigned)(a >> 32), (unsigned)(a >> 16 & 0xffff),
		 (unsigned)(a & 0xfff) | 0x4000U,
		 (unsigned)(b >> 48 & 0x3fff) | 0x8000U,
		 (unsigned long long)(b & 0xffffffffffffULL));
	fill(&h->uuid, text);
	fill(&h->connection, "connected");
	fill(&h->power, "poweredOn");
	fill(&h->version, s->server.version);
	fill(&h->build, s->server.build);
	fill(&h->api, s->server.api);
	fill(&h->cluster, s->clusters[0].name);
	for (size_t c = 0; c < s->n_clusters; c++)
		if (strcmp(s->clusters[c].name, h->cluster) == 0)
			return 0;
	return err_set(e, ERR_CONF, "host %s is in no known cluster", h->name);
}

/* The datastore's id as ESXi makes it for this kind of file system. */
static void
fill_ds_uuid(struct scene *s, struct scene_ds *d)
{
	uint64_t a = scene_hash(s, d->name, 2), b = rng_mix(a);
	unsigned w[5] = { (unsigned)(a >> 32), (unsigned)a, (unsigned)(b >> 32),
			  (unsigned)b, (unsigned)(rng_mix(b) >> 32) };
	char text[64];

	switch (d->proto->family) {
	case FAMILY_NAS:
		snprintf(text, sizeof(text), "%08x-%08x", w[0], w[1]);
		break;
	case FAMILY_VSAN:
	case FAMILY_VVOL:
		snprintf(text, sizeof(text), "%s:%08x%08x-%08x%08x",
			 d->proto->family == FAMILY_VSAN ? "vsan" : "vvol",
			 w[0], w[1], w[2], w[3]);
		break;
	case FAMILY_PMEM:
		snprintf(text, sizeof(text), "pmem:%08x-%08x-%08x", w[0], w[1],
			 w[2]);
		break;
	default:
		snprintf(text, sizeof(text), "6%07x-%08x-%04x-0025b5%06x",
			 w[0] & 0xfffffffU, w[1], w[2] & 0xffffU,
			 w[3] & 0xffffffU);
		break;
	}
	fill(&d->uuid, text);
}

static void
fill_luns(struct scene *s, struct scene_ds *d, size_t i)
{
	const char *prefix = d->proto->lun_prefix;
	char text[128];

	if (d->luns != NULL || prefix == NULL)
		return;
	if (d->lun_id < 0)
		d->lun_id = (int64_t)i;
	d->luns = xcalloc((size_t)d->extents, sizeof(*d->luns));
	for (int64_t x = 0; x < d->extents; x++) {
		uint64_t a = scene_hash(s, d->uuid, 3 + (uint64_t)x);
		uint64_t b = rng_mix(a);
		struct scene_lun *l = &d->luns[x];

		if (strcmp(prefix, "mpx.") == 0)
			snprintf(text, sizeof(text),
				 "mpx.vmhba0:C0:T%" PRId64 ":L0",
				 d->lun_id + x);
		else if (strncmp(prefix, "t10.", 4) == 0)
			snprintf(text, sizeof(text), "%sST4000NM0035%012llx",
				 prefix, (unsigned long long)(a >> 16));
		else
			snprintf(text, sizeof(text), "%s%0*llx%016llx", prefix,
				 prefix[4] != '\0' ? 15 : 16,
				 (unsigned long long)(prefix[4] != '\0' ? a >> 4
									: a),
				 (unsigned long long)b);
		l->name = xstrdup(text);
		snprintf(text, sizeof(text),
			 "iqn.2010-06.com.example:array%02u.%08x",
			 (unsigned)(a & 3) + 1, (unsigned)(b >> 32));
		l->array = xstrdup(text);
		/* NAA type 2 or 5: the top bit of many real WWNs is clear,
		 * of some set; the wire has them as signed numbers. */
		l->wwpn = (a & 1 ? 0x524a937000000000ULL
				 : 0xc050760000000000ULL) |
			(b & 0xffffffffULL);
	}
}

/* The protocol of the datastore on that host: "mixed" may say another. */
static const struct protocol_row *
host_protocol(const struct scene_ds *d, const struct scene_host *h,
	      struct err *e)
{
	const struct protocol_row *proto = d->proto;
	char *copy, *rest, *item;

	if (d->mixed == NULL)
		return proto;
	copy = rest = xstrdup(d->mixed);
	while ((item = strsep(&rest, ";")) != NULL) {
		char *colon = strrchr(item, ':');

		if (colon == NULL)
			continue;
		*colon = '\0';
		if (glob_match(item, h->name))
			proto = protocol_find(colon + 1);
	}
	free(copy);
	if (proto == NULL)
		err_set(e, ERR_CONF, "datastore %s: mixed=%s", d->name,
			d->mixed);
	return proto;
}

void
scene_size_pairs(const struct scene *s, struct scene_ds *d)
{
	if (d->n_pairs >= s->n_hosts)
		return;
	d->pairs = xreallocarray(d->pairs, s->n_hosts, sizeof(*d->pairs));
	memset(d->pairs + d->n_pairs, 0,
	       (s->n_hosts - d->n_pairs) * sizeof(*d->pairs));
	d->n_pairs = s->n_hosts;
}

static int
fill_pairs(struct scene *s, struct scene_ds *d, struct err *e)
{
	scene_size_pairs(s, d);
	for (size_t i = 0; i < s->n_hosts; i++) {
		struct pair *p = &d->pairs[i];

		p->host = (uint32_t)i;
		p->ds = (uint32_t)(d - s->dss);
		p->mounted = glob_match(d->hosts, s->hosts[i].name);
		p->accessible = p->mounted;
		p->io = p->own_io != NULL ? p->own_io : &d->io;
		p->key = scene_hash(s, s->hosts[i].uuid,
				    scene_hash(s, d->uuid, 4));
		p->proto = host_protocol(d, &s->hosts[i], e);
		if (p->proto == NULL)
			return -1;
	}
	return 0;
}

static int
fill_ds(struct scene *s, size_t i, struct err *e)
{
	struct scene_ds *d = &s->dss[i];
	char text[512];

	d->proto = protocol_find(d->proto_name);
	if (d->proto == NULL || d->extents < 1)
		return err_set(e, ERR_CONF,
			       "datastore %s: unknown protocol \"%s\"", d->name,
			       d->proto_name);
	d->local = d->proto->local_disk;
	fill(&d->type, d->proto->summary_type);
	fill_ds_uuid(s, d);
	if (d->proto->family == FAMILY_NAS) {
		fill(&d->server, "10.20.0.5");
		snprintf(text, sizeof(text), "/vol/%s", d->name);
		fill(&d->path, text);
		fill(&d->security, "AUTH_SYS");
	}
	if (s->is_esxi && d->proto->family == FAMILY_NAS)
		snprintf(text, sizeof(text), "%s:%s", d->server, d->path);
	else if (s->is_esxi)
		snprintf(text, sizeof(text), "%s", d->uuid);
	else
		snprintf(text, sizeof(text), "datastore-%zu", 2001 + i);
	fill(&d->moref, text);
	fill(&d->maintenance, "normal");
	fill(&d->topology, "multipath");
	fill(&d->datacenter, s->dcs[0].name);
	fill_luns(s, d, i);
	return fill_pairs(s, d, e);
}

int
scene_complete(struct scene *s, struct err *e)
{
	if (fill_server(s, e) != 0)
		return -1;
	fill_places(s);
	for (size_t i = 0; i < s->n_hosts; i++)
		if (fill_host(s, i, e) != 0)
			return -1;
	for (size_t i = 0; i < s->n_dss; i++)
		if (fill_ds(s, i, e) != 0)
			return -1;
	scene_bind_events(s);
	return 0;
}

void
scene_bind_events(struct scene *s)
{
	for (size_t d = 0; d < s->n_dss; d++)
		for (size_t h = 0; h < s->n_hosts; h++) {
			struct pair *p = &s->dss[d].pairs[h];

			p->events = 0;
			for (size_t i = 0; i < s->n_events; i++)
				if (glob_match(s->events[i].ds,
					       s->dss[d].name) &&
				    glob_match(s->events[i].host,
					       s->hosts[h].name))
					p->events |= UINT64_C(1) << i;
		}
	s->generation++;
}

int
scene_generate(struct scene *s, size_t n_hosts, size_t n_dss, struct err *e)
{
	char line[128];

	*s = (struct scene){ 0 };
	for (size_t i = 0; i < n_hosts; i++) {
		snprintf(line, sizeof(line), "host esx%03zu.bench.example",
			 i + 1);
		if (scene_line(s, line, e) != 0)
			return -1;
	}
	for (size_t i = 0; i < n_dss; i++) {
		snprintf(line, sizeof(line), "datastore %s-%03zu %s",
			 i % 2 != 0 ? "iscsi" : "nfs", i / 2 + 1,
			 i % 2 != 0 ? "iscsi" : "nfs3");
		if (scene_line(s, line, e) != 0)
			return -1;
	}
	return scene_complete(s, e);
}

struct scene_host *
scene_host(const struct scene *s, const char *name)
{
	for (size_t i = 0; i < s->n_hosts; i++)
		if (strcmp(s->hosts[i].name, name) == 0 ||
		    (s->hosts[i].moref != NULL &&
		     strcmp(s->hosts[i].moref, name) == 0))
			return &s->hosts[i];
	return NULL;
}

struct scene_ds *
scene_ds(const struct scene *s, const char *name)
{
	for (size_t i = 0; i < s->n_dss; i++)
		if (strcmp(s->dss[i].name, name) == 0 ||
		    (s->dss[i].moref != NULL &&
		     strcmp(s->dss[i].moref, name) == 0))
			return &s->dss[i];
	return NULL;
}

int
scene_set_host(struct scene *s, struct scene_host *h, const char *key,
	       const char *value, struct err *e)
{
	s->generation++;
	return keys_set(scene_host_keys, n_scene_host_keys, h, key, value, e);
}

int
scene_set_ds(struct scene *s, struct scene_ds *d, const char *key,
	     const char *value, struct err *e)
{
	s->generation++;
	return keys_set(scene_ds_keys, n_scene_ds_keys, d, key, value, e);
}

int
scene_set_server(struct scene *s, const char *key, const char *value,
		 struct err *e)
{
	s->generation++;
	return keys_set(scene_server_keys, n_scene_server_keys, &s->server, key,
			value, e);
}

int
scene_set_event(struct scene_event *ev, const char *key, const char *value,
		struct err *e)
{
	return keys_set(scene_event_keys, n_scene_event_keys, ev, key, value,
			e);
}

void
scene_fini(struct scene *s)
{
	for (size_t i = 0; i < s->n_dcs; i++)
		keys_fini(scene_dc_keys, n_scene_dc_keys, &s->dcs[i]);
	for (size_t i = 0; i < s->n_pods; i++)
		keys_fini(scene_pod_keys, n_scene_pod_keys, &s->pods[i]);
	for (size_t i = 0; i < s->n_clusters; i++)
		keys_fini(scene_cluster_keys, n_scene_cluster_keys,
			  &s->clusters[i]);
	for (size_t i = 0; i < s->n_dss; i++) {
		struct scene_ds *d = &s->dss[i];

		for (int64_t x = 0; d->luns != NULL && x < d->extents; x++) {
			free(d->luns[x].name);
			free(d->luns[x].array);
		}
		for (size_t h = 0; h < d->n_pairs; h++)
			free(d->pairs[h].own_io);
		free(d->luns);
		free(d->pairs);
		keys_fini(scene_ds_keys, n_scene_ds_keys, d);
	}
	for (size_t i = 0; i < s->n_hosts; i++)
		keys_fini(scene_host_keys, n_scene_host_keys, &s->hosts[i]);
	for (size_t i = 0; i < s->n_events; i++)
		keys_fini(scene_event_keys, n_scene_event_keys, &s->events[i]);
	for (size_t i = 0; i < s->n_faults; i++)
		keys_fini(scene_fault_keys, n_scene_fault_keys, &s->faults[i]);
	keys_fini(scene_server_keys, n_scene_server_keys, &s->server);
	free(s->dcs);
	free(s->pods);
	free(s->clusters);
	free(s->dss);
	free(s->hosts);
	free(s->faults);
	*s = (struct scene){ 0 };
}
