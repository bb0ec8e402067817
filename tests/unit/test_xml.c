#include "../../collectors/vsphere/xml.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/buf.h"

#include "unit.h"

enum { ID_ROOT = 1, ID_LEAF, ID_ANY, ID_ITEM, ID_VAL, ID_STOP, ID_SKIP };

/* Writes what it is told as "<id[name|xsi|type]" and "id>text;". */
struct seen {
	struct buf out;
	const struct xml_node *enter; /* for ID_VAL */
	const char *fail_on;          /* a text on which close() fails */
};

static int
on_open(void *arg, struct xml *x, unsigned id, struct err *e)
{
	struct seen *s = arg;

	buf_addf(&s->out, "<%u[%s", id, xml_name(x));
	buf_addf(&s->out, "|%s", xml_xsi_type(x));
	buf_addf(&s->out, "|%s]", xml_type(x));
	if (id == ID_VAL && s->enter != NULL)
		xml_enter(x, s->enter);
	if (id == ID_SKIP)
		xml_skip(x);
	if (id == ID_STOP)
		return err_set(e, ERR_GONE, "stop here");
	return 0;
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len, struct err *e)
{
	struct seen *s = arg;

	assert_int_equal(strlen(text), len);
	buf_addf(&s->out, "%u>%s;", id, text);
	if (s->fail_on != NULL && strcmp(text, s->fail_on) == 0)
		return err_set(e, ERR_GONE, "do not like it");
	return 0;
}

static const struct xml_node item_nodes[] = {
	{ "leaf", ID_LEAF, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node inner_nodes[] = {
	{ "leaf", ID_LEAF, NULL },   { "leaves", ID_ITEM, item_nodes },
	{ "silent", 0, item_nodes }, { "val", ID_VAL, NULL },
	{ "stop", ID_STOP, NULL },   { "skip", ID_SKIP, item_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node root_nodes[] = {
	{ "root", ID_ROOT, inner_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node any_nodes[] = {
	{ "*", ID_ANY, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_ops ops = { on_open, on_close };

static int
parse(struct seen *s, const struct xml_node *root,
      const struct xml_limits *limits, const char *doc, size_t len,
      struct err *e)
{
	struct xml *x = xml_new(root, &ops, s, limits);
	int rc;

	buf_init(&s->out, 1 << 20);
	buf_adds(&s->out, "");
	e->code = ERR_NONE;
	rc = xml_feed(x, doc, len, e);
	if (rc == 0)
		rc = xml_finish(x, e);
	xml_free(&x);
	assert_null(x);
	return rc;
}

#define XSI " xmlns:i='http://www.w3.org/2001/XMLSchema-instance'"
#define ROOT(inner) "<root" XSI ">" inner "</root>"
#define SAW(inner) "<1[root||]" inner "1>;"

static const struct {
	const char *name, *doc, *expected;
} docs[] = {
	{ "empty root", ROOT(""), SAW("") },
	{ "leaf", ROOT("<leaf>text</leaf>"), SAW("<2[leaf||]2>text;") },
	{ "empty leaf", ROOT("<leaf/>"), SAW("<2[leaf||]2>;") },
	{ "references", ROOT("<leaf>&lt;&amp;&gt;&quot;&apos;&#65;</leaf>"),
	  SAW("<2[leaf||]2><&>\"'A;") },
	{ "pieces", ROOT("<leaf>a<!--c-->b<?p i?>c<![CDATA[<d>]]>e</leaf>"),
	  SAW("<2[leaf||]2>abc<d>e;") },
	{ "an element in a leaf",
	  ROOT("<leaf>a<b>no<leaf>no</leaf></b>c</leaf>"),
	  SAW("<2[leaf||]2>ac;") },
	{ "blanks", ROOT("\n <leaf> a\n </leaf>\n"),
	  SAW("<2[leaf||]2> a\n ;") },
	{ "unknown", ROOT("<x><leaf>no</leaf><val/></x><leaf>1</leaf>"),
	  SAW("<2[leaf||]2>1;") },
	{ "nested", ROOT("<leaves>no<leaf>1</leaf><leaf>2</leaf>no</leaves>"),
	  SAW("<4[leaves||]<2[leaf||]2>1;<2[leaf||]2>2;4>;") },
	{ "silent", ROOT("<silent><leaf>1</leaf></silent>"),
	  SAW("<2[leaf||]2>1;") },
	{ "skipped", ROOT("<skip><leaf>no</leaf></skip><leaf>1</leaf>"),
	  SAW("<7[skip||]<2[leaf||]2>1;") },
	{ "prefixes", "<q:root xmlns:q='u'><q:leaf>1</q:leaf></q:root>",
	  SAW("<2[leaf||]2>1;") },
	{ "types", ROOT("<leaf i:type='v:T' type='O'/>"),
	  SAW("<2[leaf|T|O]2>;") },
	{ "type of a namespace", ROOT("<leaf xmlns:o='o' o:type='no'/>"),
	  SAW("<2[leaf||]2>;") },
	{ "types in other order",
	  ROOT("<leaf a='1' type='a:b' i:type='x:y:T'/>"),
	  SAW("<2[leaf|T|a:b]2>;") },
	{ "a prefix declared there",
	  ROOT("<leaf xmlns:s='http://www.w3.org/2001/XMLSchema-instance' "
	       "s:type='T'/>"),
	  SAW("<2[leaf|T|]2>;") },
	{ "UTF-8 against its declaration",
	  "<?xml version='1.0' encoding='X-9'?><root><leaf>\xc3\xbc</leaf></root>",
	  SAW("<2[leaf||]2>\xc3\xbc;") },
	{ "another root", "<other><leaf>no</leaf></other>", "" },
	{ "case matters", "<Root/>", "" },
	{ "a longer name", ROOT("<leafs>no</leafs><lea>no</lea>"), SAW("") },
	{ "a star is a name too", ROOT("<leaf>1</leaf>"),
	  SAW("<2[leaf||]2>1;") },
};

static void
test_docs(void **state unused)
{
	struct xml_limits limits = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(docs); i++) {
		struct seen s = { 0 };
		struct err e;

		print_message("%s\n", docs[i].name);
		assert_int_equal(parse(&s, root_nodes, &limits, docs[i].doc,
				       strlen(docs[i].doc), &e),
				 0);
		assert_string_equal(buf_str(&s.out), docs[i].expected);
		buf_fini(&s.out);
	}
}

static void
test_any_and_enter(void **state unused)
{
	static const char doc[] =
		"<root><val><leaf>1</leaf><x>no</x></val><val>text</val></root>";
	struct xml_limits limits = { 0 };
	struct seen s = { .enter = item_nodes };
	struct err e;

	assert_int_equal(parse(&s, root_nodes, &limits, doc, strlen(doc), &e),
			 0);
	assert_string_equal(buf_str(&s.out),
			    SAW("<5[val||]<2[leaf||]2>1;5>;<5[val||]5>;"));
	buf_fini(&s.out);
	s.enter = NULL;
	assert_int_equal(parse(&s, root_nodes, &limits, doc, strlen(doc), &e),
			 0);
	assert_string_equal(buf_str(&s.out),
			    SAW("<5[val||]5>;<5[val||]5>text;"));
	buf_fini(&s.out);
	assert_int_equal(parse(&s, any_nodes, &limits, doc, strlen(doc), &e),
			 0);
	assert_string_equal(buf_str(&s.out), "<3[root||]3>;");
	buf_fini(&s.out);
}

/* An error of a callback ends it, and is what every later call returns. */
static void
test_callback_errors(void **state unused)
{
	static const char doc[] = "<root><leaf>a</leaf><stop/><leaf>b</leaf>";
	struct xml_limits limits = { 0 };
	struct seen s = { 0 };
	struct xml *x = xml_new(root_nodes, &ops, &s, &limits);
	struct err e;

	buf_init(&s.out, 1 << 20);
	assert_int_equal(xml_feed(x, doc, strlen(doc), &e), -1);
	assert_int_equal(e.code, ERR_GONE);
	assert_string_equal(buf_str(&s.out),
			    "<1[root||]<2[leaf||]2>a;<6[stop||]");
	e.code = ERR_NONE;
	assert_int_equal(xml_feed(x, "</root>", 7, &e), -1);
	assert_int_equal(e.code, ERR_GONE);
	assert_int_equal(xml_finish(x, &e), -1);
	assert_int_equal(e.code, ERR_GONE);
	assert_string_equal(e.text, "stop here");
	xml_free(&x);
	buf_fini(&s.out);

	s.fail_on = "a";
	assert_int_equal(parse(&s, root_nodes, &limits, doc, strlen(doc), &e),
			 -1);
	assert_string_equal(e.text, "do not like it");
	assert_string_equal(buf_str(&s.out), "<1[root||]<2[leaf||]2>a;");
	buf_fini(&s.out);
}

/* n times the text. */
static void
repeat(struct buf *b, const char *text, size_t n)
{
	while (n-- > 0)
		buf_adds(b, text);
}

static enum err_code
code_of(const struct buf *doc, const struct xml_limits *limits)
{
	struct seen s = { 0 };
	struct err e;
	int rc = parse(&s, root_nodes, limits, buf_str(doc), doc->len, &e);

	buf_fini(&s.out);
	return rc == 0 ? ERR_NONE : e.code;
}

static void
test_depth(void **state unused)
{
	struct xml_limits limits = { 0 };
	struct buf doc;

	buf_init(&doc, 1 << 20);
	for (size_t deep = XML_MAX_DEPTH - 1; deep <= XML_MAX_DEPTH; deep++) {
		buf_reset(&doc);
		buf_adds(&doc, "<root>");
		repeat(&doc, "<a>", deep);
		repeat(&doc, "</a>", deep);
		buf_adds(&doc, "</root>");
		assert_int_equal(code_of(&doc, &limits),
				 deep < XML_MAX_DEPTH ? ERR_NONE : ERR_LIMIT);
	}
	buf_fini(&doc);
}

static void
test_elements(void **state unused)
{
	struct xml_limits limits = { .max_elements = 11 };
	struct buf doc;

	buf_init(&doc, 1 << 20);
	for (size_t n = 10; n <= 11; n++) {
		buf_reset(&doc);
		buf_adds(&doc, "<root>");
		repeat(&doc, "<a/>", n);
		buf_adds(&doc, "</root>");
		assert_int_equal(code_of(&doc, &limits),
				 n == 10 ? ERR_NONE : ERR_LIMIT);
	}
	buf_fini(&doc);
}

/* A text we want is limited; one we do not want only passes through. */
static void
test_text(void **state unused)
{
	struct xml_limits limits = { .max_text_bytes = 1000 };
	struct buf doc;

	buf_init(&doc, 32 << 20);
	for (size_t n = 1000; n <= 1001; n++) {
		buf_reset(&doc);
		buf_adds(&doc, "<root><leaf>");
		repeat(&doc, "x", n);
		buf_adds(&doc, "</leaf></root>");
		assert_int_equal(code_of(&doc, &limits),
				 n == 1000 ? ERR_NONE : ERR_LIMIT);
	}
	buf_reset(&doc);
	buf_adds(&doc, "<root><other>");
	repeat(&doc, "0123456789012345678901234567890123456789", 200000);
	buf_adds(&doc, "</other><leaf>x</leaf></root>");
	assert_int_equal(code_of(&doc, &limits), ERR_NONE);

	/* The default limit, and libxml2's own for attributes and names. */
	limits.max_text_bytes = 0;
	buf_reset(&doc);
	buf_adds(&doc, "<root><leaf>");
	repeat(&doc, "0123456789abcdef", ((1 << 20) / 16) + 1);
	buf_adds(&doc, "</leaf></root>");
	assert_int_equal(code_of(&doc, &limits), ERR_LIMIT);
	buf_reset(&doc);
	buf_adds(&doc, "<root a='");
	repeat(&doc, "0123456789abcdef", 11 << 16);
	buf_adds(&doc, "'/>");
	assert_int_equal(code_of(&doc, &limits), ERR_PROTO);
	buf_fini(&doc);
}

static const struct {
	const char *name, *doc;
} broken[] = {
	{ "nothing", "" },
	{ "blanks", "  \n" },
	{ "no XML", "hello" },
	{ "half", "<root><leaf>" },
	{ "half a tag", "<root" },
	{ "crossed", "<root><leaf></root></leaf>" },
	{ "two roots", "<root/><root/>" },
	{ "text behind", "<root/>text" },
	{ "no such entity", "<root>&nbsp;</root>" },
	{ "DTD", "<!DOCTYPE root><root/>" },
	{ "entity",
	  "<!DOCTYPE root [<!ENTITY a 'b'>]><root><leaf>&a;</leaf></root>" },
	{ "external DTD", "<!DOCTYPE root SYSTEM '/etc/hostname'><root/>" },
	{ "twice the attribute", "<root a='1' a='2'/>" },
	{ "bad UTF-8", "<root>\xc3(</root>" },
	{ "control character", "<root>\x01</root>" },
	{ "bad character reference", "<root>&#0;</root>" },
	{ "not UTF-8 as declared",
	  "<?xml version='1.0' encoding='ISO-8859-1'?><root>\xfc</root>" },
};

static void
test_broken(void **state unused)
{
	struct xml_limits limits = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct seen s = { 0 };
		struct err e;

		print_message("%s\n", broken[i].name);
		assert_int_equal(parse(&s, root_nodes, &limits, broken[i].doc,
				       strlen(broken[i].doc), &e),
				 -1);
		assert_int_equal(e.code, ERR_PROTO);
		assert_null(strchr(e.text, '\n'));
		buf_fini(&s.out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_docs),
		cmocka_unit_test(test_any_and_enter),
		cmocka_unit_test(test_callback_errors),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
