#include "dslat/conf.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/map.h"
#include "dslat/mem.h"

/* ---- the elements of lists -------------------------------------------- */

void *
conf_add_target(struct conf *c)
{
	struct conf_target *t;

	c->targets = xreallocarray(c->targets, c->n_targets + 1,
				   sizeof(*c->targets));
	t = &c->targets[c->n_targets++];
	*t = (struct conf_target){ .name = NULL };
	conf_preset(conf_key_get("targets"), t);
	return t;
}

void *
conf_add_row(struct conf *c)
{
	return threshold_rules_add(&c->thresholds);
}

const void *
conf_target_item(const struct conf *c, size_t i)
{
	return i < c->n_targets ? &c->targets[i] : NULL;
}

const void *
conf_row_item(const struct conf *c, size_t i)
{
	return i < c->thresholds.n_datastores ? &c->thresholds.datastores[i]
					      : NULL;
}

const void *
conf_protocol_item(const struct conf *c, size_t i)
{
	return i < N_PROTOCOLS ? &c->thresholds.protocols[i] : NULL;
}

/* ---- reading ------------------------------------------------------------ */

static void read_section(struct conf_reader *r, const struct yaml_node *n,
			 const struct conf_key *k, void *base,
			 const char *path);

static void
set_origin(struct conf *c, const char *path, struct mark at)
{
	struct mark *m;

	if (map_find_str(c->origins, path) != NULL)
		return; /* a duplicate key: a fault already */
	m = xcalloc(1, sizeof(*m));
	*m = at;
	map_set(c->origins, path, m);
}

static void
read_list(struct conf_reader *r, const struct yaml_node *n,
	  const struct conf_key *k, const char *path)
{
	size_t i = 0;

	if (n->kind == YAML_MAP || n->kind == YAML_TEXT) {
		fault_add(r->faults, n->at,
			  "\"%s\" must be a list; begin each entry with \"- \"",
			  conf_key_name(k));
		return;
	}
	if (n->first == NULL && (k->flags & CONF_REQUIRED) != 0 && r->is_whole)
		fault_add(r->faults, n->key_at,
			  "\"%s\" is empty; add at least one",
			  conf_key_name(k));
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next) {
		char *at = xasprintf("%s[%zu]", path, i++);
		void *element = k->add(r->conf);

		read_section(r, c, k, element, at);
		if (k->check != NULL && c->kind == YAML_MAP)
			k->check(r, c, element);
		free(at);
	}
}

/* The members when it is the name of a family, else all there are. */
static void
unknown_protocol(struct conf_reader *r, const struct yaml_node *n)
{
	struct buf names, members;

	buf_init(&names, 1024);
	buf_init(&members, 1024);
	for (size_t i = 0; i < N_PROTOCOLS; i++) {
		const char *name = protocol_name((enum protocol)i);

		buf_addf(&names, "%s%s", names.len != 0 ? ", " : "", name);
		if (strcmp(protocol_family((enum protocol)i), n->key) == 0)
			buf_addf(&members, "%s%s", members.len != 0 ? ", " : "",
				 name);
	}
	fault_add(r->faults, n->key_at,
		  "\"%.*s\" is not a protocol; write one of %s", CONF_SHOWN_MAX,
		  n->key, buf_str(members.len != 0 ? &members : &names));
	buf_fini(&names);
	buf_fini(&members);
}

static void
read_by_protocol(struct conf_reader *r, const struct yaml_node *n,
		 const struct conf_key *k, struct threshold_row *rows,
		 const char *path)
{
	enum protocol p;

	if (n->kind == YAML_LIST || n->kind == YAML_TEXT) {
		fault_add(r->faults, n->at,
			  "\"%s\" must be a group of protocols; write "
			  "\"nfs3:\" and its keys indented below",
			  conf_key_name(k));
		return;
	}
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next) {
		char *at;

		if (!protocol_from_name(c->key, &p)) {
			unknown_protocol(r, c);
			continue;
		}
		if (!protocol_is_measured(p))
			fault_warn(r->faults, c->key_at,
				   "\"%s\" datastores have no latency "
				   "counters; this has no effect",
				   c->key);
		at = xasprintf("%s.%s", path, c->key);
		read_section(r, c, k, &rows[p], at);
		free(at);
	}
}

/* A key whose value is neither a section nor a list of them. */
static void
read_field(struct conf_reader *r, const struct yaml_node *n,
	   const struct conf_key *k, void *value, const char *path)
{
	size_t before = r->faults->n_errors;

	if (n->kind == YAML_NULL) {
		if ((k->flags & CONF_REQUIRED) != 0)
			fault_add(r->faults, n->key_at,
				  "\"%s\" is empty; give it a value",
				  conf_key_name(k));
		return;
	}
	if (n->is_cut)
		return;
	conf_read_value(r, k, n, value);
	if (r->faults->n_errors != before)
		return;
	set_origin(r->conf, path, n->at);
	if (k->check != NULL)
		k->check(r, n, value);
}

static void
read_key(struct conf_reader *r, const struct yaml_node *n,
	 const struct conf_key *k, void *value, const char *path)
{
	size_t before = r->faults->n_errors;

	switch (k->type) {
	case CONF_LATER:
		fault_add(r->faults, n->key_at,
			  "\"%s\" is not available in this version (%s); "
			  "remove it",
			  conf_key_name(k), conf_version);
		break;
	case CONF_REFUSED:
		fault_add(r->faults, n->key_at,
			  "\"%s\" does not belong in this file; %s",
			  conf_key_name(k), k->text);
		break;
	case CONF_SECTION:
		read_section(r, n, k, value, path);
		if (k->check != NULL && r->faults->n_errors == before &&
		    !n->is_cut)
			k->check(r, n, value);
		break;
	case CONF_LIST:
		read_list(r, n, k, path);
		break;
	case CONF_BY_PROTO:
		read_by_protocol(r, n, k, value, path);
		break;
	default:
		read_field(r, n, k, value, path);
		break;
	}
}

/* The row that child is about was there, or was tried with a wrong word. */
static bool
is_there(const struct yaml_node *n, const struct conf_key *k)
{
	if (yaml_find(n, conf_key_name(k)) != NULL)
		return true;
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next)
		if (c->hint == k)
			return true;
	return false;
}

/* k is NULL for the file itself; the object of its keys is at base. */
static void
read_section(struct conf_reader *r, const struct yaml_node *n,
	     const struct conf_key *k, void *base, const char *path)
{
	const struct conf_key *inside;

	if (n->kind == YAML_LIST || n->kind == YAML_TEXT) {
		fault_add(r->faults, n->at,
			  "%s must be keys and values; write \"key: value\", "
			  "one per line",
			  k != NULL ? path : "the file");
		return;
	}
	for (struct yaml_node *c = n->first; c != NULL; c = c->next) {
		char *at;

		inside = conf_key_find(k, c->key);
		if (inside == NULL) {
			conf_unknown_key(r, k, c);
			continue;
		}
		at = k != NULL ? xasprintf("%s.%s", path, c->key)
			       : xstrdup(c->key);
		read_key(r, c, inside, (char *)base + inside->offset, at);
		free(at);
	}
	if (!r->is_whole)
		return;
	for (size_t i = 0; (inside = conf_key_next(k, &i)) != NULL;)
		if ((inside->flags & CONF_REQUIRED) != 0 &&
		    !is_there(n, inside))
			fault_add(r->faults, n->at, "no \"%s\"; add it",
				  conf_key_name(inside));
}

struct conf *
conf_read(const char *text, size_t len, struct faults *f)
{
	struct conf *c = xcalloc(1, sizeof(*c));
	struct conf_reader r = { .conf = c, .faults = f, .names = map_new() };
	struct yaml_tree tree;

	c->path = xstrdup(f->path);
	c->origins = map_new();
	threshold_rules_init(&c->thresholds);
	conf_preset(NULL, c);
	yaml_parse(text, len, f, &tree);
	r.is_whole = tree.is_whole;
	if (tree.root != NULL && tree.root->kind != YAML_NULL)
		read_section(&r, tree.root, NULL, c, "");
	else if (tree.is_whole)
		fault_add(f, (struct mark){ 0 },
			  "the file is empty; add \"targets\", see "
			  "dslatd.yaml(5)");
	yaml_tree_fini(&tree);
	map_free(&r.names);
	return c;
}

struct conf *
conf_parse(const char *text, size_t len, const char *path, struct buf *problems,
	   struct err *e)
{
	struct faults f;
	struct conf *c;

	faults_init(&f, path);
	c = conf_read(text, len, &f);
	faults_print(&f, problems);
	if (faults_result(&f, e) != 0)
		conf_free(&c);
	faults_fini(&f);
	return c;
}

/* ---- the rest of its life ------------------------------------------------- */

static void
target_fini(struct conf_target *t)
{
	free(t->name);
	free(t->url);
	free(t->username);
	free(t->password_file);
	free(t->password_env);
	free(t->password_credential);
	free(t->ca_file);
	free(t->fingerprint_sha256);
	conf_texts_free(&t->include.hosts);
	conf_texts_free(&t->include.datastores);
	conf_texts_free(&t->exclude.hosts);
	conf_texts_free(&t->exclude.datastores);
}

void
conf_free(struct conf **c)
{
	void *m;

	if (*c == NULL)
		return;
	for (size_t i = 0; i < (*c)->n_targets; i++)
		target_fini(&(*c)->targets[i]);
	free((*c)->targets);
	for (size_t i = 0; i < (*c)->n_notify; i++)
		conf_notify_fini(&(*c)->notify[i]);
	free((*c)->notify);
	for (size_t i = 0; i < (*c)->n_maintenance; i++)
		conf_maintenance_fini(&(*c)->maintenance[i]);
	free((*c)->maintenance);
	conf_texts_free(&(*c)->listen);
	free((*c)->state_dir);
	free((*c)->web.tls_cert);
	free((*c)->web.tls_key);
	free((*c)->web.tokens_file);
	free((*c)->web.public_url);
	threshold_rules_fini(&(*c)->thresholds);
	for (size_t i = 0; map_next((*c)->origins, &i, NULL, &m);)
		free(m);
	map_free(&(*c)->origins);
	free((*c)->path);
	free(*c);
	*c = NULL;
}

void
secret_fini(struct secret *s)
{
	if (s->text != NULL)
		mem_wipe(s->text, strlen(s->text));
	free(s->text);
	s->text = NULL;
}

bool
conf_is_set(const struct conf *c, const char *path, struct mark *at_r)
{
	const struct mark *m = map_find_str(c->origins, path);

	if (m != NULL && at_r != NULL)
		*at_r = *m;
	return m != NULL;
}

static bool
matches(char *const *patterns, const char *name)
{
	for (size_t i = 0; patterns[i] != NULL; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

bool
conf_wants_host(const struct conf_target *t, const char *name)
{
	return matches(t->include.hosts, name) &&
		!matches(t->exclude.hosts, name);
}

bool
conf_wants_datastore(const struct conf_target *t, const char *name)
{
	return matches(t->include.datastores, name) &&
		!matches(t->exclude.datastores, name);
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
same_texts(char *const *a, char *const *b)
{
	size_t i = 0;

	for (; a[i] != NULL && b[i] != NULL; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return a[i] == b[i];
}

bool
conf_target_same(const struct conf_target *a, const struct conf_target *b)
{
	return same_text(a->name, b->name) && same_text(a->url, b->url) &&
		same_text(a->username, b->username) &&
		same_text(a->password_file, b->password_file) &&
		same_text(a->password_env, b->password_env) &&
		same_text(a->password_credential, b->password_credential) &&
		same_text(a->ca_file, b->ca_file) &&
		same_text(a->fingerprint_sha256, b->fingerprint_sha256) &&
		a->insecure == b->insecure &&
		a->poll_interval_s == b->poll_interval_s &&
		same_texts(a->include.hosts, b->include.hosts) &&
		same_texts(a->include.datastores, b->include.datastores) &&
		same_texts(a->exclude.hosts, b->exclude.hosts) &&
		same_texts(a->exclude.datastores, b->exclude.datastores);
}
