#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "scene_keys.h"

#define WORDS_MAX 64

static const struct io_model io_default = {
	.read_ms = 2,
	.write_ms = 2.5,
	.read_iops = 120,
	.write_iops = 180,
	.read_kib = 16,
	.write_kib = 12,
	.noise = 0.3,
	.day = 0.5,
	.kernel_pct = 2,
};

/* A backslash escape at s into *c; how many characters it took. */
static size_t
unescape(const char *s, char *c)
{
	char hex[3];

	switch (s[1]) {
	case 'n':
		*c = '\n';
		return 2;
	case 't':
		*c = '\t';
		return 2;
	case 'x':
		if (s[2] == '\0' || s[3] == '\0')
			break;
		memcpy(hex, s + 2, 2);
		hex[2] = '\0';
		*c = (char)strtol(hex, NULL, 16);
		return 4;
	case '\0':
		break;
	default:
		*c = s[1];
		return 2;
	}
	*c = '\\';
	return 1;
}

/* Split in place at blanks; "..." keeps blanks and takes \" \\ \n \xHH. */
static int
split(char *line, char *words[WORDS_MAX], size_t *n_r, struct err *e)
{
	char *in = line, *out = line;
	size_t n = 0;

	for (;;) {
		bool quoted = false;

		while (*in == ' ' || *in == '\t')
			in++;
		if (*in == '\0' || *in == '#')
			break;
		if (n == WORDS_MAX)
			return err_set(e, ERR_CONF, "too many words");
		words[n++] = out;
		while (*in != '\0' && (quoted || (*in != ' ' && *in != '\t'))) {
			if (*in == '"') {
				quoted = !quoted;
				in++;
			} else if (quoted && *in == '\\') {
				in += unescape(in, out++);
			} else {
				*out++ = *in++;
			}
		}
		if (quoted)
			return err_set(e, ERR_CONF, "a quote is not closed");
		if (*in != '\0')
			in++;
		*out++ = '\0';
	}
	*n_r = n;
	return 0;
}

/* Set key=value words[from..] on obj. */
static int
set_words(const struct key *keys, size_t n_keys, void *obj, char **words,
	  size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		char *eq = strchr(words[i], '=');

		if (eq == NULL)
			return err_set(e, ERR_CONF, "\"%s\" is not key=value",
				       words[i]);
		*eq = '\0';
		if (keys_set(keys, n_keys, obj, words[i], eq + 1, e) != 0)
			return -1;
	}
	return 0;
}

static void *
grow(void *array, size_t *n, size_t size_bytes)
{
	char *a = xreallocarray(array, *n + 1, size_bytes);

	memset(a + *n * size_bytes, 0, size_bytes);
	(*n)++;
	return a;
}

static int
line_server(struct scene *s, char **w, size_t n, struct err *e)
{
	xstrset(&s->server.kind, w[0]);
	return set_words(scene_server_keys, n_scene_server_keys, &s->server,
			 w + 1, n - 1, e);
}

static int
line_login(struct scene *s, char **w, size_t n, struct err *e)
{
	if (n != 2)
		return err_set(e, ERR_CONF, "login USER PASSWORD");
	xstrset(&s->server.user, w[0]);
	xstrset(&s->server.password, w[1]);
	return 0;
}

static int
line_datacenter(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_dc *d;

	s->dcs = grow(s->dcs, &s->n_dcs, sizeof(*d));
	d = &s->dcs[s->n_dcs - 1];
	d->name = xstrdup(w[0]);
	return set_words(scene_dc_keys, n_scene_dc_keys, d, w + 1, n - 1, e);
}

static int
line_pod(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_pod *p;

	s->pods = grow(s->pods, &s->n_pods, sizeof(*p));
	p = &s->pods[s->n_pods - 1];
	p->name = xstrdup(w[0]);
	return set_words(scene_pod_keys, n_scene_pod_keys, p, w + 1, n - 1, e);
}

static int
line_cluster(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_cluster *c;

	s->clusters = grow(s->clusters, &s->n_clusters, sizeof(*c));
	c = &s->clusters[s->n_clusters - 1];
	c->name = xstrdup(w[0]);
	return set_words(scene_cluster_keys, n_scene_cluster_keys, c, w + 1,
			 n - 1, e);
}

static int
line_host(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_host *h;

	s->hosts = grow(s->hosts, &s->n_hosts, sizeof(*h));
	h = &s->hosts[s->n_hosts - 1];
	h->name = xstrdup(w[0]);
	h->io_x = 1;
	return set_words(scene_host_keys, n_scene_host_keys, h, w + 1, n - 1,
			 e);
}

static int
line_datastore(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_ds *d;

	if (n < 2)
		return err_set(e, ERR_CONF, "datastore NAME PROTOCOL ...");
	s->dss = grow(s->dss, &s->n_dss, sizeof(*d));
	d = &s->dss[s->n_dss - 1];
	d->name = xstrdup(w[0]);
	d->proto_name = xstrdup(w[1]);
	d->accessible = true;
	d->extents = 1;
	d->extent_x = 1;
	d->lun_id = -1;
	d->capacity_gib = 4096;
	d->free_gib = 1536;
	d->io = io_default;
	return set_words(scene_ds_keys, n_scene_ds_keys, d, w + 2, n - 2, e);
}

static int
line_pair(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_host *h = n >= 2 ? scene_host(s, w[0]) : NULL;
	struct scene_ds *d = n >= 2 ? scene_ds(s, w[1]) : NULL;
	struct pair *p;

	if (h == NULL || d == NULL)
		return err_set(e, ERR_CONF,
			       "pair HOST DATASTORE, both defined above");
	scene_size_pairs(s, d);
	p = &d->pairs[h - s->hosts];
	if (p->own_io == NULL) {
		p->own_io = xcalloc(1, sizeof(*p->own_io));
		*p->own_io = d->io;
	}
	return set_words(scene_io_keys, n_scene_io_keys, p->own_io, w + 2,
			 n - 2, e);
}

static int
line_event(struct scene *s, char **w, size_t n, struct err *e)
{
	static const char *const kinds[] = { "latency", "load",    "idle",
					     "hung",    "missing", "gap",
					     "late",    "raw",     "lost" };
	struct scene_event *ev;
	bool known = false;

	if (s->n_events == SCENE_EVENTS_MAX)
		return err_set(e, ERR_CONF, "more than %d events",
			       SCENE_EVENTS_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		known = known || strcmp(kinds[i], w[0]) == 0;
	if (!known)
		return err_set(e, ERR_CONF, "unknown event \"%s\"", w[0]);
	ev = &s->events[s->n_events];
	*ev = (struct scene_event){
		.kind = xstrdup(w[0]), .read_x = 1, .write_x = 1, .iops_x = 1
	};
	s->n_events++;
	return set_words(scene_event_keys, n_scene_event_keys, ev, w + 1, n - 1,
			 e);
}

static int
line_fault(struct scene *s, char **w, size_t n, struct err *e)
{
	struct scene_fault *f;

	s->faults = grow(s->faults, &s->n_faults, sizeof(*f));
	f = &s->faults[s->n_faults - 1];
	f->name = xstrdup(w[0]);
	f->count = -1;
	return set_words(scene_fault_keys, n_scene_fault_keys, f, w + 1, n - 1,
			 e);
}

static const struct {
	const char *word;
	int (*fn)(struct scene *s, char **w, size_t n, struct err *e);
} lines[] = {
	{ "server", line_server },
	{ "login", line_login },
	{ "datacenter", line_datacenter },
	{ "cluster", line_cluster },
	{ "host", line_host },
	{ "datastore", line_datastore },
	{ "pair", line_pair },
	{ "pod", line_pod },
	{ "event", line_event },
	{ "fault", line_fault },
};

int
scene_line(struct scene *s, char *line, struct err *e)
{
	char *words[WORDS_MAX];
	size_t n = 0;

	if (split(line, words, &n, e) != 0)
		return -1;
	if (n == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (strcmp(lines[i].word, words[0]) == 0) {
			if (n < 2)
				return err_set(e, ERR_CONF, "%s wants a value",
					       words[0]);
			return lines[i].fn(s, words + 1, n - 1, e);
		}
	return err_set(e, ERR_CONF, "unknown word \"%s\"", words[0]);
}

int
scene_load(struct scene *s, const char *path, struct err *e)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	*s = (struct scene){ 0 };
	if (f == NULL)
		return err_set(e, ERR_IO, "cannot open %s", path);
	for (int no = 1; rc == 0 && getline(&line, &room, f) >= 0; no++) {
		line[strcspn(line, "\r\n")] = '\0';
		rc = scene_line(s, line, e);
		if (rc != 0)
			err_wrap(e, "%s:%d", path, no);
	}
	free(line);
	fclose(f);
	if (rc == 0 && (rc = scene_complete(s, e)) != 0)
		err_wrap(e, "%s", path);
	return rc;
}
