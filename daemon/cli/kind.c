#include "kind.h"

#include <string.h>

#define MAX_CANDIDATES 20

const struct kind kind_datastore = {
	.word = "datastore",
	.words = "datastores",
	.path = "/api/v1/datastores",
	.head = "DATASTORE",
	.has_protocol = true,
	.part_head = "HOST",
	.parts_head = "HOSTS",
	.worst_head = "WORST HOST",
	.parts = "hosts",
	.read_worst = "read_worst_host",
	.write_worst = "write_worst_host",
	.parts_n = "hosts_n",
	.parts_expected = "hosts_expected",
};

const struct kind kind_host = {
	.word = "host",
	.words = "hosts",
	.path = "/api/v1/hosts",
	.head = "HOST",
	.part_head = "DATASTORE",
	.parts_head = "DATASTORES",
	.worst_head = "WORST DATASTORE",
	.parts = "datastores",
	.read_worst = "read_worst_datastore",
	.write_worst = "write_worst_datastore",
	.parts_n = "datastores_n",
	.parts_expected = "datastores_expected",
};

/* How a row answers to a name; the best kind of answer counts. */
enum match {
	MATCH_NONE,
	MATCH_PART,
	MATCH_LABEL, /* up to the first dot */
	MATCH_NAME,
	MATCH_FULL,
	MATCH_ID
};

static enum match
match(const json_t *row, const char *wanted)
{
	const char *target = js_text(row, "target");
	const char *name = js_text(row, "name");
	size_t n = strlen(target);

	if (strcmp(js_text(row, "id"), wanted) == 0)
		return MATCH_ID;
	if (strncmp(wanted, target, n) == 0 && wanted[n] == '/' &&
	    strcmp(wanted + n + 1, name) == 0)
		return MATCH_FULL;
	if (strcmp(wanted, name) == 0)
		return MATCH_NAME;
	n = strlen(wanted);
	if (n == strcspn(name, ".") && strncmp(name, wanted, n) == 0)
		return MATCH_LABEL;
	return strcasestr(name, wanted) != NULL ? MATCH_PART : MATCH_NONE;
}

static void
say_candidates(const struct cli *c, const json_t *items, const char *wanted,
	       enum match best)
{
	const json_t *row;
	size_t n = 0;

	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++) {
		if (match(row, wanted) != best)
			continue;
		if (n++ == MAX_CANDIDATES) {
			cli_say(c, stderr, "  ...");
			return;
		}
		cli_say(c, stderr, "  %s/%s  (ID %s)", js_text(row, "target"),
			js_text(row, "name"), js_text(row, "id"));
	}
}

static json_t *
row_of_id(const char *id)
{
	size_t n = strcspn(id, ":");
	json_t *v = json_object();

	json_object_set_new(v, "id", json_text(id));
	json_object_set_new(v, "target", json_stringn(id, n));
	json_object_set_new(v, "name", json_text(id + n + 1));
	return v;
}

static json_t *
pick(const struct kind *k, const struct cli *c, const json_t *items,
     const struct kind_name *name)
{
	const char *wanted = name->text;
	enum match best = MATCH_NONE;
	json_t *found = NULL, *row;
	size_t n = 0;

	for (size_t i = 0; (row = json_array_get(items, i)) != NULL; i++) {
		enum match m = match(row, wanted);

		if (m > best) {
			best = m;
			n = 0;
		}
		if (m == best && n++ == 0)
			found = row;
	}
	if (best >= MATCH_LABEL && n == 1)
		return json_incref(found);
	if (best == MATCH_NONE && name->or_past && strchr(wanted, ':') != NULL)
		return row_of_id(wanted);
	if (best >= MATCH_LABEL)
		cli_say(c, stderr,
			"dslat: \"%s\" is the name of %zu %s; say"
			" which by its ID:",
			wanted, n, k->words);
	else if (best == MATCH_PART)
		cli_say(c, stderr,
			"dslat: there is no %s \"%s\"; similar"
			" names:",
			k->word, wanted);
	else
		cli_say(c, stderr,
			"dslat: there is no %s \"%s\"; \"dslat %s\""
			" lists all",
			k->word, wanted, k->words);
	if (best != MATCH_NONE)
		say_candidates(c, items, wanted, best);
	return NULL;
}

json_t *
kind_find(const struct kind *k, const struct cli *c,
	  const struct kind_name *name, int *status_r)
{
	json_t *all, *found;
	struct buf path;
	struct err e;

	buf_init(&path, 4096);
	buf_adds(&path, k->path);
	api_add_param(&path, "target", name->target);
	all = api_list(c->api, buf_str(&path), &e);
	buf_fini(&path);
	if (all == NULL) {
		*status_r = cli_fail(c, &e);
		return NULL;
	}
	found = pick(k, c, json_object_get(all, "items"), name);
	json_decref(all);
	*status_r = found != NULL ? CLI_OK : CLI_FAILED;
	return found;
}
