#include "web/uri.h"

#include <string.h>

#include "dslat/buf.h"
#include "unit.h"

/* segments and params as one line: "a|b ? n=v & m=" */
static void
render(const struct uri *u, struct buf *b)
{
	for (size_t i = 0; i < u->n_segments; i++)
		buf_addf(b, "%s%s", i != 0 ? "|" : "", u->segments[i]);
	for (size_t i = 0; i < u->n_params; i++)
		buf_addf(b, " %s %s=%s", i != 0 ? "&" : "?", u->params[i].name,
			 u->params[i].value);
}

static void
test_parse(void **state unused)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{ "/", "" },
		{ "/a", "a" },
		{ "/a/", "a|" },
		{ "//a", "|a" },
		{ "/a/b%2Fc%3A%25/d", "a|b/c:%|d" },
		{ "/%e4%b8%ad", "\xe4\xb8\xad" },
		{ "/\xc3\xbc", "\xc3\xbc" },
		{ "/a+b?c+d=e+f", "a+b ? c d=e f" },
		{ "/?", "" },
		{ "/?a", " ? a=" },
		{ "/?a=", " ? a=" },
		{ "/?=a", " ? =a" },
		{ "/?a=b=c", " ? a=b=c" },
		{ "/?a=1&&b=2&", " ? a=1 & b=2" },
		{ "/?a%26=%3d", " ? a&==" },
		{ "/p?q?r=/x/y", "p ? q?r=/x/y" },
		{ "http://host:1/p?a=1", "p ? a=1" },
		{ "HTTPS://h", "" },
		{ "http://h?a=1", " ? a=1" },
		{ "http://", "" },
		{ "http:///x", "x" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct uri u;
		struct err e;
		struct buf b;

		print_message("%s\n", rows[i].raw);
		buf_init(&b, 4096);
		assert_int_equal(uri_parse(&u, rows[i].raw, &e), 0);
		assert_false(u.asterisk);
		render(&u, &b);
		assert_string_equal(buf_str(&b), rows[i].want);
		buf_fini(&b);
		uri_fini(&u);
	}
}

static void
test_refuse(void **state unused)
{
	static const struct {
		const char *raw;
		enum err_code code;
		const char *says;
	} rows[] = {
		{ "", ERR_PROTO, "begin with /" },
		{ "a", ERR_PROTO, "begin with /" },
		{ "ftp://h/", ERR_PROTO, "begin with /" },
		{ "**", ERR_PROTO, "begin with /" },
		{ "/%", ERR_PROTO, "%25" },
		{ "/%4", ERR_PROTO, "%25" },
		{ "/%g0", ERR_PROTO, "%25" },
		{ "/?a=%0g", ERR_PROTO, "%25" },
		{ "/?%=1", ERR_PROTO, "%25" },
		{ "/%00", ERR_PROTO, "%00" },
		{ "/?a=x%00y", ERR_PROTO, "%00" },
		{ "/%ff", ERR_PROTO, "UTF-8" },
		{ "/%c0%af", ERR_PROTO, "UTF-8" },
		{ "/%ed%a0%80", ERR_PROTO, "UTF-8" },
		{ "/?a=\x80", ERR_PROTO, "UTF-8" },
		{ "/a b", ERR_PROTO, "control" },
		{ "/a\tb", ERR_PROTO, "control" },
		{ "/a\x7f", ERR_PROTO, "control" },
		{ "/1/2/3/4/5/6/7/8/9", ERR_LIMIT, "8 segments" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct uri u;
		struct err e;

		print_message("%s\n", rows[i].raw);
		assert_int_equal(uri_parse(&u, rows[i].raw, &e), -1);
		assert_int_equal(e.code, rows[i].code);
		assert_non_null(strstr(e.text, rows[i].says));
		uri_fini(&u);
	}
}

static void
test_limits(void **state unused)
{
	struct uri u;
	struct err e;
	struct buf b;

	buf_init(&b, 8192);
	buf_adds(&b, "/?a=1");
	for (int i = 1; i < URI_MAX_PARAMS; i++)
		buf_adds(&b, "&a=1");
	assert_int_equal(uri_parse(&u, buf_str(&b), &e), 0);
	assert_int_equal(u.n_params, URI_MAX_PARAMS);
	uri_fini(&u);
	buf_adds(&b, "&a=1");
	assert_int_equal(uri_parse(&u, buf_str(&b), &e), -1);
	assert_int_equal(e.code, ERR_LIMIT);
	uri_fini(&u);
	buf_fini(&b);
}

static void
test_asterisk_and_lookup(void **state unused)
{
	struct uri u;
	struct err e;

	assert_int_equal(uri_parse(&u, "*", &e), 0);
	assert_true(u.asterisk);
	assert_int_equal(u.n_segments, 0);
	uri_fini(&u);
	assert_int_equal(uri_parse(&u, "/?a=1&b=2&a=3", &e), 0);
	assert_string_equal(uri_param(&u, "a"), "1");
	assert_string_equal(uri_param(&u, "b"), "2");
	assert_null(uri_param(&u, "c"));
	uri_fini(&u);
}

/* Every byte but NUL, if it is UTF-8, survives escaping and parsing. */
static void
test_round_trip(void **state unused)
{
	struct uri u;
	struct err e;
	struct buf b;
	char all[128];

	for (int i = 1; i < 128; i++)
		all[i - 1] = (char)i;
	all[127] = '\0';
	buf_init(&b, 4096);
	buf_addc(&b, '/');
	assert_int_equal(uri_add_escaped(&b, all), 0);
	buf_addc(&b, '/');
	uri_add_escaped(&b, "\xf0\x9f\x90\x98");
	buf_adds(&b, "?x=");
	uri_add_escaped(&b, all);
	assert_int_equal(uri_parse(&u, buf_str(&b), &e), 0);
	assert_int_equal(u.n_segments, 2);
	assert_string_equal(u.segments[0], all);
	assert_string_equal(u.segments[1], "\xf0\x9f\x90\x98");
	assert_string_equal(uri_param(&u, "x"), all);
	uri_fini(&u);
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_asterisk_and_lookup),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
