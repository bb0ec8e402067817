#include "web/accept.h"

#include "unit.h"

static void
test_quality(void **state unused)
{
	static const struct {
		const char *list, *word;
		int want;
	} rows[] = {
		{ "", "gzip", 0 },
		{ "gzip", "gzip", 1000 },
		{ "GZIP", "gzip", 1000 },
		{ "xgzip", "gzip", 0 },
		{ "gzipx", "gzip", 0 },
		{ "deflate, gzip;q=0.5", "gzip", 500 },
		{ "gzip;q=0", "gzip", 0 },
		{ "gzip;q=0.000", "gzip", 0 },
		{ "gzip ; q=0.25", "gzip", 250 },
		{ "gzip;q=1.9", "gzip", 1000 },
		{ "gzip;q=odd", "gzip", 1000 },
		{ "*", "gzip", 1000 },
		{ "*;q=0.1, gzip;q=0", "gzip", 0 },
		{ "gzip;q=0, *;q=0.1", "gzip", 0 },
		{ "identity", "gzip", 0 },
		{ ",, gzip ,", "gzip", 1000 },
		{ "text/html, text/plain;q=0.3", "text/plain", 300 },
		{ "text/*;q=0.2, */*;q=0.1", "text/plain", 200 },
		{ "*/*;q=0.1", "text/plain", 100 },
		{ "application/openmetrics-text;version=1.0.0;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  "application/openmetrics-text", 750 },
		{ "application/openmetrics-text;version=1.0.0,"
		  "application/openmetrics-text;version=0.0.1;q=0.75",
		  "application/openmetrics-text", 1000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].list);
		assert_int_equal(accept_quality(rows[i].list, rows[i].word),
				 rows[i].want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
