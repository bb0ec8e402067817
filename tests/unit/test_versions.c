#include "../../collectors/vsphere/versions.h"

#include "unit.h"

static const struct {
	const char *api_version, *expected;
} fallbacks[] = {
	{ NULL, "6.5" },           { "", "6.5" },
	{ "6.5", "6.5" },          { "6.7.3", "6.7.3" },
	{ "8.0.2.0", "8.0.2.0" },  { "8.0.3.0", "8.0.3.0" },
	{ "9.1.0.0", "8.0.3.0" },  { "8.0.2.1", "8.0.2.0" },
	{ "7.0", "7.0.0.0" },      { "7.0.0.1", "7.0.0.0" },
	{ "6.10", "6.9.1" },       { "5.5", "5.5" },
	{ "3.5", "6.5" },          { "uA046D008", "6.5" },
	{ "8..0", "6.5" },         { "8.0.", "6.5" },
	{ "8.0.2.0 beta", "6.5" }, { "99999999999999999999", "6.5" },
};

static void
test_fallback(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++) {
		print_message("%s\n",
			      fallbacks[i].api_version != NULL
				      ? fallbacks[i].api_version
				      : "(null)");
		assert_string_equal(versions_fallback(fallbacks[i].api_version),
				    fallbacks[i].expected);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fallback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
