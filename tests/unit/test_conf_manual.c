/*
 * The table of keys against what is written about it: the KEYS section of
 * dslatd.yaml(5) is the one made here (UPDATE=1 in the environment writes it
 * there), the example configuration names every key, and every example is one
 * that dslatd takes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../daemon/core/conf_keys.h"
#include "dslat/mem.h"
#include "unit.h"

#define MANUAL "daemon/dslatd.yaml.5"
#define EXAMPLE "packaging/dslatd.yaml"
#define BEGIN ".\\\" keys: begin, written by tests/unit/test_conf_manual\n"
#define END ".\\\" keys: end\n"
#define WIDTH 79
#define MAX_BYTES ((size_t)1 << 20)

static char *
source_path(const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/%s", top != NULL ? top : ".", name);
}

static void
read_source(const char *name, struct buf *b)
{
	char *path = source_path(name), chunk[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (f == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	buf_init(b, MAX_BYTES);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) != 0)
		buf_add(b, chunk, n);
	fclose(f);
	free(path);
	assert_false(b->full);
}

/* ---- the KEYS section --------------------------------------------------- */

/* A word as mdoc text: a backslash is none of its escapes. */
static void
add_word(struct buf *b, const char *word, size_t len, bool begins_line)
{
	if (begins_line && (*word == '.' || *word == '\''))
		buf_adds(b, "\\&");
	for (size_t i = 0; i < len; i++)
		if (word[i] == '\\')
			buf_adds(b, "\\e");
		else
			buf_addc(b, word[i]);
}

/* Filled lines; each sentence begins one, as mdoc wants it. */
static void
add_text(struct buf *b, const char *text)
{
	size_t width = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		bool ends = len > 0 && text[len - 1] == '.';

		if (width != 0 && width + 1 + len > WIDTH) {
			buf_addc(b, '\n');
			width = 0;
		}
		if (width != 0)
			buf_addc(b, ' ');
		add_word(b, text, len, width == 0);
		width += len + (width != 0);
		text += len + strspn(text + len, " ");
		if (ends && *text != '\0') {
			buf_addc(b, '\n');
			width = 0;
		}
	}
	buf_addc(b, '\n');
}

static const char *const kinds[] = {
	[CONF_SECTION] = "A group of keys",
	[CONF_LIST] = "A list of groups of keys",
	[CONF_BY_PROTO] = "A group of groups of keys",
	[CONF_TEXT] = "A text",
	[CONF_TEXTS] = "A text or a list of texts",
	[CONF_BOOL] = "true or false",
	[CONF_COUNT] = "A whole number",
	[CONF_AUTO_S] = "Seconds, or auto",
	[CONF_MS] = "Milliseconds, with up to three decimals",
	[CONF_BYTES] = "A size, as in 500MiB",
};

static void
add_kind(struct buf *b, const struct conf_key *k)
{
	buf_adds(b, kinds[k->type]);
	if (k->max != 0) {
		char *min = conf_number_text(k, k->min);
		char *max = conf_number_text(k, k->max);

		buf_addf(b, ", %s to %s", min, max);
		free(min);
		free(max);
	}
	if ((k->flags & CONF_REQUIRED) != 0)
		buf_adds(b, "; required");
	if (k->preset != NULL)
		buf_addf(b, "; default %s", k->preset);
	buf_adds(b, ". ");
}

static bool
is_described(const struct conf_key *k)
{
	return k->type != CONF_LATER && k->type != CONF_REFUSED;
}

static void
write_keys(struct buf *b)
{
	const struct conf_key *k;

	buf_adds(b, BEGIN ".Bl -tag -width Ds\n");
	for (size_t i = 0; (k = conf_key_at(i)) != NULL; i++) {
		struct buf text;

		if (!is_described(k))
			continue;
		buf_init(&text, 8192);
		add_kind(&text, k);
		buf_adds(&text, k->text);
		if ((k->flags & CONF_RESTART) != 0)
			buf_adds(&text, " A reload does not change it.");
		buf_addf(b, ".It Ic %s\n", k->path);
		add_text(b, buf_str(&text));
		buf_fini(&text);
	}
	buf_adds(b, ".El\n" END);
}

static void
update(const struct buf *manual, size_t begin, size_t end,
       const struct buf *keys)
{
	char *path = source_path(MANUAL);
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fwrite(manual->data, 1, begin, f);
	fwrite(keys->data, 1, keys->len, f);
	fwrite(manual->data + end, 1, manual->len - end, f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void
test_keys(void **state unused)
{
	struct buf manual, keys;
	const char *begin, *end;
	char *there;

	read_source(MANUAL, &manual);
	begin = strstr(buf_str(&manual), BEGIN);
	end = strstr(buf_str(&manual), END);
	assert_non_null(begin);
	assert_non_null(end);
	end += strlen(END);

	buf_init(&keys, MAX_BYTES);
	write_keys(&keys);
	there = xstrndup(begin, (size_t)(end - begin));
	if (getenv("UPDATE") != NULL)
		update(&manual, (size_t)(begin - manual.data),
		       (size_t)(end - manual.data), &keys);
	else if (strcmp(there, buf_str(&keys)) != 0)
		fail_msg(
			"%s is not what conf_keys.c says: run this test with "
			"UPDATE=1 in the environment, and look at the "
			"difference",
			MANUAL);
	free(there);
	buf_fini(&manual);
	buf_fini(&keys);
}

/* Every row that a person can write has something to say. */
static void
test_texts(void **state unused)
{
	const struct conf_key *k;

	for (size_t i = 0; (k = conf_key_at(i)) != NULL; i++) {
		print_message("%s\n", k->path);
		if (k->type == CONF_LATER) {
			assert_null(k->text);
			continue;
		}
		assert_non_null(k->text);
		if (is_described(k))
			assert_int_equal(k->text[strlen(k->text) - 1], '.');
	}
}

/* ---- the example configuration ------------------------------------------ */

/* "key:" as a word of its own, be it in a comment. */
static bool
has_key(const char *text, const char *key)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t len = strlen(key);

	for (const char *s = text; (s = strstr(s, key)) != NULL; s += len)
		if (s[len] == ':' &&
		    (s == text || strchr(letters, s[-1]) == NULL))
			return true;
	return false;
}

static void
test_example_has_keys(void **state unused)
{
	const struct conf_key *k;
	struct buf example;

	read_source(EXAMPLE, &example);
	for (size_t i = 0; (k = conf_key_at(i)) != NULL; i++) {
		print_message("%s\n", k->path);
		if (is_described(k))
			assert_true(
				has_key(buf_str(&example), conf_key_name(k)));
	}
	buf_fini(&example);
}

static void
assert_good(const char *text, size_t len, const char *name)
{
	struct buf problems;
	struct err e;
	struct conf *c;

	buf_init(&problems, MAX_BYTES);
	c = conf_parse(text, len, name, &problems, &e);
	assert_string_equal(buf_str(&problems), "");
	assert_non_null(c);
	conf_free(&c);
	buf_fini(&problems);
}

/* As it is, and with the keys that are commented out: a line "# key: ..." or
 * "# - ..." is one, other comments are prose and begin with two #. */
static void
test_example_is_good(void **state unused)
{
	struct buf example, all;

	read_source(EXAMPLE, &example);
	assert_good(example.data, example.len, EXAMPLE);
	buf_init(&all, MAX_BYTES);
	for (const char *s = buf_str(&example); *s != '\0'; s++) {
		size_t indent = strspn(s, " "), len = strcspn(s, "\n");

		buf_add(&all, s, indent);
		s += indent;
		len -= indent;
		if (s[0] == '#' && s[1] == ' ') {
			s += 2;
			len -= 2;
		}
		buf_add(&all, s, len);
		buf_addc(&all, '\n');
		s += len;
	}
	assert_good(all.data, all.len, "all of " EXAMPLE);
	buf_fini(&example);
	buf_fini(&all);
}

/* ---- the examples of the manuals ------------------------------------------ */

/* The text of a literal block that has a line "targets:"; from there on, and
 * up to a line that is a command. */
static void
check_block(const char *block, size_t len, const char *name, int *n)
{
	char *text = xstrndup(block, len), *start, *command;
	struct buf yaml;

	start = strstr(text, "listen:");
	if (start == NULL)
		start = strstr(text, "targets:");
	if (start != NULL) {
		command = strstr(start, "\n$ ");
		if (command != NULL)
			command[1] = '\0';
		buf_init(&yaml, MAX_BYTES);
		for (const char *s = start; *s != '\0'; s++) {
			buf_addc(&yaml, *s);
			if (s[0] == '\\' && s[1] == 'e')
				s++; /* mdoc's way to write a backslash */
		}
		assert_good(yaml.data, yaml.len, name);
		buf_fini(&yaml);
		++*n;
	}
	free(text);
}

static void
test_manual_examples(void **state unused)
{
	static const struct {
		const char *name;
		int n;
	} rows[] = { { MANUAL, 3 }, { "daemon/dslatd.8", 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf manual;
		const char *s, *end;
		int n = 0;

		read_source(rows[i].name, &manual);
		s = buf_str(&manual);
		while ((s = strstr(s, "\n.Bd -literal")) != NULL) {
			s = strchr(s + 1, '\n') + 1;
			end = strstr(s, "\n.Ed");
			assert_non_null(end);
			check_block(s, (size_t)(end - s) + 1, rows[i].name, &n);
		}
		assert_int_equal(n, rows[i].n);
		buf_fini(&manual);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_example_has_keys),
		cmocka_unit_test(test_example_is_good),
		cmocka_unit_test(test_manual_examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
