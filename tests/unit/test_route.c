#include "web/route.h"

#include "unit.h"

static void
nothing(void *arg unused, struct request *rq unused)
{
}

static const struct route rows[] = {
	{ "/", HTTP_GET, NULL, nothing },
	{ "/a", HTTP_GET, "x yy", nothing },
	{ "/a/{id}", HTTP_GET, "", nothing },
	{ "/a/{id}/b", 0, NULL, nothing },
	{ "/{id}", HTTP_GET, NULL, nothing },
	{ "/c/d", HTTP_GET, NULL, nothing },
	{ "/c/d", HTTP_POST | HTTP_DELETE, NULL, nothing },
	{ NULL, 0, NULL, NULL },
};

/* The row a raw address leads to, -1 for none, and its id. */
static int
lead(const char *raw, char id_r[64])
{
	struct uri u;
	struct err e;
	const char *id = NULL;
	const struct route *r;

	assert_int_equal(uri_parse(&u, raw, &e), 0);
	r = route_find(rows, &u, &id);
	id_r[0] = '\0';
	for (size_t i = 0; id != NULL && i < 63; i++) {
		id_r[i] = id[i];
		if (id[i] == '\0')
			break;
	}
	uri_fini(&u);
	return r != NULL ? (int)(r - rows) : -1;
}

static void
test_find(void **state unused)
{
	static const struct {
		const char *raw, *id;
		int row;
	} cases[] = {
		{ "/", "", 0 },
		{ "/a", "", 1 },
		{ "/a?x=1", "", 1 },
		{ "/%61", "", 1 },
		{ "/a/", "", -1 },
		{ "/a/1", "1", 2 },
		{ "/a/x%2Fy%3Az", "x/y:z", 2 },
		{ "/a/x/y", "", -1 },
		{ "/a/x/b", "x", 3 },
		{ "/a/x/b/", "", -1 },
		{ "/A", "A", 4 },
		{ "/ab", "ab", 4 },
		{ "//", "", -1 },
		{ "/b/c", "", -1 },
	};
	char id[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("%s\n", cases[i].raw);
		assert_int_equal(lead(cases[i].raw, id), cases[i].row);
		if (cases[i].row >= 0)
			assert_string_equal(id, cases[i].id);
	}
}

static void
test_methods(void **state unused)
{
	char allow[ROUTE_ALLOW_SIZE];

	assert_int_equal(http_method_from_name("GET"), HTTP_GET);
	assert_int_equal(http_method_from_name("HEAD"), HTTP_HEAD);
	assert_int_equal(http_method_from_name("OPTIONS"), HTTP_OPTIONS);
	assert_int_equal(http_method_from_name("get"), HTTP_OTHER);
	assert_int_equal(http_method_from_name("POST"), HTTP_POST);
	assert_int_equal(http_method_from_name("DELETE"), HTTP_DELETE);
	assert_int_equal(http_method_from_name("PUT"), HTTP_OTHER);
	assert_ptr_equal(route_by_method(&rows[0], HTTP_GET), &rows[0]);
	assert_ptr_equal(route_by_method(&rows[0], HTTP_HEAD), &rows[0]);
	assert_ptr_equal(route_by_method(&rows[0], HTTP_OPTIONS), &rows[0]);
	assert_null(route_by_method(&rows[0], HTTP_OTHER));
	assert_null(route_by_method(&rows[3], HTTP_GET));
	assert_null(route_by_method(&rows[3], HTTP_HEAD));
	assert_ptr_equal(route_by_method(&rows[5], HTTP_HEAD), &rows[5]);
	assert_ptr_equal(route_by_method(&rows[5], HTTP_DELETE), &rows[6]);
	assert_null(route_by_method(&rows[5], HTTP_OTHER));
	assert_string_equal(route_allow(&rows[5], allow),
			    "GET, HEAD, POST, DELETE, OPTIONS");
	assert_string_equal(route_allow(&rows[0], allow), "GET, HEAD, OPTIONS");
	assert_string_equal(route_allow(&rows[3], allow), "OPTIONS");
}

static void
test_params(void **state unused)
{
	static const struct {
		int row;
		const char *raw, *unknown; /* NULL: all known */
	} cases[] = {
		{ 0, "/?anything=1", NULL }, { 1, "/a?x=1&yy=2", NULL },
		{ 1, "/a?y=1", "y" },        { 1, "/a?yyy=1", "yyy" },
		{ 1, "/a?x=1&=2", "" },      { 1, "/a?x+yy=1", "x yy" },
		{ 2, "/a/1", NULL },         { 2, "/a/1?x=1", "x" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *unknown;
		struct uri u;
		struct err e;

		print_message("%s\n", cases[i].raw);
		assert_int_equal(uri_parse(&u, cases[i].raw, &e), 0);
		unknown = route_unknown_param(&rows[cases[i].row], &u);
		if (cases[i].unknown == NULL)
			assert_null(unknown);
		else
			assert_string_equal(unknown, cases[i].unknown);
		uri_fini(&u);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
