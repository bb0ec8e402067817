#include "../../daemon/cli/sentence.h"

#include "unit.h"

static void
test_sentences(void **state unused)
{
	static const struct {
		const char *api, *user;
	} rows[] = {
		{ "", "" },
		{ "all is well", "all is well" },
		{ "limit= must be from 1 to 1000",
		  "--limit must be from 1 to 1000" },
		{ "from= must be before to=", "--from must be before --to" },
		{ "a_from= must be before a_to=",
		  "--a-from must be before --a-to" },
		{ "from=yester=day is no time; write now or now-1h",
		  "--from yester=day is no time; write now or now-1h" },
		{ "there is no target \"x\"; /api/v1/status lists all",
		  "there is no target \"x\"; \"dslat status\" lists all" },
		{ "datastore= is missing; /api/v1/datastores lists the ids",
		  "--datastore is missing; \"dslat datastores\" lists the ids" },
		{ "/api/v1/openapi.json lists what there is",
		  "/api/v1/openapi.json lists what there is" },
		/* of the user's own words nothing changes */
		{ "there is no target \"to= from=x /api/v1/status\"; say to=",
		  "there is no target \"to= from=x /api/v1/status\"; say --to" },
		/* not the beginning of a word, or no word */
		{ "see http://h/api/v1/status?a=b",
		  "see http://h/api/v1/status?a=b" },
		{ "1 + 1 = 2, x-y=z and =", "1 + 1 = 2, x-y=z and =" },
		{ "one (limit= of it)", "one (--limit of it)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf b;

		buf_init(&b, 1000);
		sentence_add(&b, rows[i].api);
		assert_string_equal(buf_str(&b), rows[i].user);
		buf_fini(&b);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
