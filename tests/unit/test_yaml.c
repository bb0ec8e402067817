#include <string.h>

#include "../../daemon/core/yaml.h"
#include "unit.h"

/* The tree in one line: kind, place and value of each node. */
static void
write_node(struct buf *b, const struct yaml_node *n)
{
	if (n->key != NULL)
		buf_addf(b, "%s@%d:%d=", n->key, n->key_at.line,
			 n->key_at.column);
	if (n->kind == YAML_NULL)
		buf_adds(b, "null");
	else if (n->kind == YAML_TEXT)
		buf_addf(b, "'%s'", n->text);
	else
		buf_addc(b, n->kind == YAML_MAP ? '{' : '[');
	buf_addf(b, "@%d:%d", n->at.line, n->at.column);
	for (const struct yaml_node *c = n->first; c != NULL; c = c->next) {
		buf_addc(b, ' ');
		write_node(b, c);
	}
	if (n->kind == YAML_MAP)
		buf_addc(b, '}');
	if (n->kind == YAML_LIST)
		buf_addc(b, ']');
}

static void
test_tree(void **state unused)
{
	static const struct {
		const char *yaml, *tree;
	} rows[] = {
		{ "a: 1\n", "{@1:1 a@1:1='1'@1:4}" },
		{ "a: 1\r\nb: 2\r\n", "{@1:1 a@1:1='1'@1:4 b@2:1='2'@2:4}" },
		{ "\xef\xbb\xbf"
		  "a: 1\n",
		  "{@1:1 a@1:1='1'@1:4}" },
		{ "a:\n  - x: {c: [1, 2]}\n    y: \"q\"\n",
		  "{@1:1 a@1:1=[@2:3 {@2:5 x@2:5={@2:8 c@2:9=[@2:12 '1'@2:13 "
		  "'2'@2:16]} y@3:5='q'@3:8}]}" },
		/* nothing has the place of its key or list */
		{ "a:\nb: ~\nc: null\nd: ''\ne: 'null'\n",
		  "{@1:1 a@1:1=null@1:1 b@2:1=null@2:4 c@3:1=null@3:4 "
		  "d@4:1=''@4:4 e@5:1='null'@5:4}" },
		{ "- a\n-\n- b # c\n", "[@1:1 'a'@1:3 null@1:1 'b'@3:3]" },
		/* columns count characters, not bytes */
		{ "\xc3\xa4: {b: 1}\n",
		  "{@1:1 \xc3\xa4@1:1={@1:4 b@1:5='1'@1:8}}" },
		{ "a: |\n  x\n  y\n", "{@1:1 a@1:1='x\ny\n'@2:1}" },
		{ "p: 'D\\x'\nq: \"D\\\\x\"\nr: D\\x\ns: x#y\n",
		  "{@1:1 p@1:1='D\\x'@1:4 q@2:1='D\\x'@2:4 r@3:1='D\\x'@3:4 "
		  "s@4:1='x#y'@4:4}" },
		{ "'a b': 1\n\"c\": 2\n",
		  "{@1:1 a b@1:1='1'@1:8 c@2:1='2'@2:6}" },
		{ "%YAML 1.2\n---\na: 1\n...\n", "{@3:1 a@3:1='1'@3:4}" },
		{ "a: &x 1\n", "{@1:1 a@1:1='1'@1:7}" },
		{ "1", "'1'@1:1" },
		{ "", NULL },
		{ "# only this\n", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct faults f;
		struct yaml_tree t;
		struct buf b;

		print_message("%s\n", rows[i].yaml);
		faults_init(&f, "f");
		buf_init(&b, 4096);
		yaml_parse(rows[i].yaml, strlen(rows[i].yaml), &f, &t);
		faults_print(&f, &b);
		assert_string_equal(buf_str(&b), "");
		assert_true(t.is_whole);
		if (rows[i].tree == NULL) {
			assert_null(t.root);
		} else {
			write_node(&b, t.root);
			assert_string_equal(buf_str(&b), rows[i].tree);
		}
		yaml_tree_fini(&t);
		faults_fini(&f);
		buf_fini(&b);
	}
}

#define STAR "an unquoted \"*\" starts an alias in YAML; quote the pattern: "
#define INDENT                                                                 \
	"wrong indentation; the keys of one mapping start in one column\n"

static const struct {
	const char *yaml, *problems;
	bool is_whole;
} broken[] = {
	{ "a: [*]\n", "f:1:5: " STAR "\"*\"\n", false },
	{ "a: *\nb: 1\n", "f:1:4: " STAR "\"*\"\n", false },
	{ "a: [*.lab, x]\nb: *c\n",
	  "f:1:5: " STAR "\"*.lab\"\nf:2:4: " STAR "\"*c\"\n", true },
	{ "a:\n\tb: 1\n", "f:2:1: a tab in the indentation; use spaces\n",
	  false },
	{ "a: 1\nb: 2\na: 3\n",
	  "f:3:1: \"a\" is here twice, first in line 1; remove one\n", true },
	{ "a: {b: 1, b: 2, b: 3}\n",
	  "f:1:11: \"b\" is here twice, first in line 1; remove one\n"
	  "f:1:17: \"b\" is here twice, first in line 1; remove one\n",
	  true },
	{ "a: @x\n",
	  "f:1:4: a value cannot start with this character; "
	  "quote the value\n",
	  false },
	{ "a: %x\n",
	  "f:1:4: a value cannot start with this character; "
	  "quote the value\n",
	  false },
	{ "a: b: c\n", "f:1:5: a second colon in one line; quote the value\n",
	  false },
	{ "a: [::1]:99\n",
	  "f:1:9: text behind a closing bracket; "
	  "quote the whole value\n",
	  false },
	{ "a: [1, 2\nb: 3\n",
	  "f:1:4: a bracket is not closed; add the missing \"]\"\n", false },
	{ "a: ]\n",
	  "f:1:4: a closing bracket without its opening one; "
	  "remove it, or quote the value\n",
	  false },
	{ "a: \"b\nc: 1\n",
	  "f:1:4: a quote is not closed; add the missing quote\n", false },
	{ "a: \"D\\user\"\n",
	  "f:1:6: unknown escape in double quotes; write \\\\ for a "
	  "backslash, or use single quotes\n",
	  false },
	{ "a: \"D\\quser\"\n",
	  "f:1:6: unknown escape in double quotes; write \\\\ for a "
	  "backslash, or use single quotes\n",
	  false },
	{ "a: - b\n",
	  "f:1:4: a list cannot start on this line; put its \"- \" on "
	  "the next one, indented\n",
	  false },
	{ "a:\n  - b\n c: 1\n", "f:3:2: " INDENT, false },
	{ "  a: 1\n b: 2\n", "f:2:2: " INDENT, false },
	{ "a: 1\n---\nb: 2\n", "f:2:1: a second document; remove the \"---\"\n",
	  false },
	{ "a: !!str x\nb: !include y\nc: [!esx]\n",
	  "f:1:4: an unquoted \"!\" starts a tag in YAML; "
	  "remove it, or quote the value\n"
	  "f:2:4: an unquoted \"!\" starts a tag in YAML; "
	  "remove it, or quote the value\n"
	  "f:3:5: an unquoted \"!\" starts a tag in YAML; "
	  "remove it, or quote the value\n",
	  true },
	{ "? [a, b]\n: c\n", "f:1:3: a key must be a word\n", false },
	{ "- - - - - - - - - - - - - - - - 16\n", "", true },
	{ "- - - - - - - - - - - - - - - - - 17\n",
	  "f:1:33: nested deeper than 16 levels\n", false },
	{ "a: \xff\n",
	  "f:1:4: byte 0xff is not UTF-8 text; name the YAML file "
	  "itself, or save it as UTF-8\n",
	  false },
	{ "\x7f"
	  "ELF\x02",
	  "f:1:1: byte 0x7f is not UTF-8 text; name the YAML file "
	  "itself, or save it as UTF-8\n",
	  false },
	{ "\xff\xfe"
	  "a",
	  "f:1:1: UTF-16 text; save the file as UTF-8\n", false },
};

static void
test_faults(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct faults f;
		struct yaml_tree t;
		struct buf b;

		print_message("%s\n", broken[i].yaml);
		faults_init(&f, "f");
		buf_init(&b, 4096);
		yaml_parse(broken[i].yaml, strlen(broken[i].yaml), &f, &t);
		faults_print(&f, &b);
		assert_string_equal(buf_str(&b), broken[i].problems);
		assert_int_equal(t.is_whole, broken[i].is_whole);
		yaml_tree_fini(&t);
		faults_fini(&f);
		buf_fini(&b);
	}
}

static void
test_zero_byte(void **state unused)
{
	static const char yaml[] = "a: 1\nb: x\0y\n";
	struct faults f;
	struct yaml_tree t;
	struct buf b;

	faults_init(&f, "f");
	buf_init(&b, 4096);
	yaml_parse(yaml, sizeof(yaml) - 1, &f, &t);
	faults_print(&f, &b);
	assert_string_equal(buf_str(&b),
			    "f:2:5: byte 0x00 is not UTF-8 text; name the "
			    "YAML file itself, or save it as UTF-8\n");
	yaml_tree_fini(&t);
	faults_fini(&f);
	buf_fini(&b);
}

/* A broken file is still read up to its fault. */
static void
test_partial(void **state unused)
{
	static const char yaml[] = "a: 1\nb: {c: 2}\nd: *\n";
	struct faults f;
	struct yaml_tree t;

	faults_init(&f, "f");
	yaml_parse(yaml, sizeof(yaml) - 1, &f, &t);
	assert_int_equal(f.n_errors, 1);
	assert_false(t.is_whole);
	assert_string_equal(yaml_find(t.root, "a")->text, "1");
	assert_string_equal(yaml_find(yaml_find(t.root, "b"), "c")->text, "2");
	assert_null(yaml_find(t.root, "e"));
	assert_null(yaml_find(yaml_find(t.root, "a"), "a"));
	yaml_tree_fini(&t);
	yaml_tree_fini(&t);
	faults_fini(&f);
}

/* Whatever is wrong, the value of a line is never repeated. */
static void
test_no_leak(void **state unused)
{
	static const char *const yamls[] = {
		"password: hunter2: x\n",        "password: \"hunter2\n",
		"password: 'hunter2\n",          "password: @hunter2\n",
		"password: %hunter2\n",          "password: `hunter2\n",
		"password: !hunter2!x y\n",      "password: !hunter2! y\n",
		"password: !<hunter2 y\n",       "password: [hunter2\n",
		"password: {hunter2\n",          "password: hunter2]: x\n",
		"password: \"\\hunter2\"\n",     "password: \"\\xhunter2\"\n",
		"password: \"hunter2\" x\n",     "password: >hunter2\n",
		"password: |hunter2\n",          "password: &hunter2 *x\n",
		"password: \thunter2\n\ta: b\n", "password: - hunter2\n",
		"password: ? hunter2\n",         "%TAG hunter2\n--- a\n",
		"%YAML hunter2\n--- a\n",        "password: hunter2\n  x: y\n",
		"password:\nhunter2\n",          "password: ,hunter2\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(yamls); i++) {
		struct faults f;
		struct yaml_tree t;
		struct buf b;

		print_message("%s", yamls[i]);
		faults_init(&f, "f");
		buf_init(&b, 4096);
		yaml_parse(yamls[i], strlen(yamls[i]), &f, &t);
		faults_print(&f, &b);
		assert_null(strstr(buf_str(&b), "hunter2"));
		yaml_tree_fini(&t);
		faults_fini(&f);
		buf_fini(&b);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_zero_byte),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
