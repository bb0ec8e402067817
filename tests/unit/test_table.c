#include "../../daemon/cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../daemon/cli/cell.h"
#include "../../daemon/cli/spark.h"
#include "../../daemon/cli/text.h"
#include "unit.h"

static const struct column columns[] = {
	{ "NAME", false, true, 0 },
	{ "STATE", false, false, 2 },
	{ "READ ms", true, false, 0 },
	{ "HOST", false, true, 1 },
};

/* What is printed; the caller's. */
static char *
printed(const struct table *t, const struct term *term)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	table_print(t, term, f);
	fclose(f);
	return text;
}

static void
assert_printed(const struct table *t, const struct term *term, const char *want)
{
	char *text = printed(t, term);

	assert_string_equal(text, want);
	free(text);
}

static struct table *
sample(void)
{
	struct table *t = table_new(columns, ARRAY_SIZE(columns));

	table_row(t);
	table_cell(t, STYLE_PLAIN, "nfs01");
	table_cell(t, STYLE_GOOD, "ok");
	table_cellf(t, STYLE_PLAIN, "%.1f", 0.8);
	table_cell(t, STYLE_PLAIN, "esx1.example");
	table_row(t);
	table_cell(t, STYLE_PLAIN, "a-datastore-with-a-long-name");
	table_cell(t, STYLE_BAD, "critical");
	table_cellf(t, STYLE_PLAIN, "%.1f", 1240.0);
	table_cell(t, STYLE_PLAIN, NULL);
	return t;
}

static void
test_plain(void **state unused)
{
	struct term term = { .width = 0 };
	struct table *t = sample();

	assert_printed(
		t, &term,
		"NAME                          STATE     READ ms  HOST\n"
		"nfs01                         ok            0.8  esx1.example\n"
		"a-datastore-with-a-long-name  critical   1240.0  -\n");
	table_hide(t, 1);
	assert_printed(t, &term,
		       "NAME                          READ ms  HOST\n"
		       "nfs01                             0.8  esx1.example\n"
		       "a-datastore-with-a-long-name   1240.0  -\n");
	table_free(&t);
	assert_null(t);
}

/* Names are cut first, then columns go by rank. */
static void
test_narrow(void **state unused)
{
	struct term term = { .width = 60 };
	struct table *t = sample();

	assert_printed(
		t, &term,
		/* 60 - 2 - 8 - 2 - 7 - 2 - 12 = 27 for the name */
		"NAME                         STATE     READ ms  HOST\n"
		"nfs01                        ok            0.8  esx1.example\n"
		"a-datastore-with-a-long-na\xe2\x80\xa6  critical   1240.0  -\n");
	term.width = 45; /* 16 + 2 + 8 + 2 + 7 + 2 + 12 = 49: STATE goes */
	assert_printed(t, &term,
		       "NAME                    READ ms  HOST\n"
		       "nfs01                       0.8  esx1.example\n"
		       "a-datastore-with-a-lo\xe2\x80\xa6   1240.0  -\n"
		       "(1 more column in a wider terminal, or with --json)\n");
	term.width = 30; /* HOST too */
	term.ascii = true;
	assert_printed(
		t, &term,
		"NAME                   READ ms\n"
		"nfs01                      0.8\n"
		"a-datastore-with-a-l~   1240.0\n"
		"(2 more columns in a wider terminal, or with --json)\n");
	term.width = 10; /* cannot be: wraps, but shows what must be there */
	assert_printed(
		t, &term,
		"NAME              READ ms\n"
		"nfs01                 0.8\n"
		"a-datastore-wit~   1240.0\n"
		"(2 more columns in a wider terminal, or with --json)\n");
	table_free(&t);
}

static void
test_color(void **state unused)
{
	struct term term = { .width = 80, .color = true };
	struct table *t = table_new(columns + 1, 2);

	table_row(t);
	table_cell(t, STYLE_BAD, "critical");
	table_cell(t, STYLE_PLAIN, "83.0");
	assert_printed(t, &term,
		       "\x1b[1mSTATE\x1b[0m     \x1b[1mREAD ms\x1b[0m\n"
		       "\x1b[1;31mcritical\x1b[0m     83.0\n");
	table_free(&t);
}

/* Columns stay columns whatever the names are. */
static void
test_hostile(void **state unused)
{
	struct term term = { .width = 0 };
	struct table *t = table_new(columns + 2, 2);

	table_row(t);
	table_cell(t, STYLE_PLAIN, "1");
	table_cell(t, STYLE_PLAIN, "\x1b[31m\nforged  row");
	table_row(t);
	table_cell(t, STYLE_PLAIN, "\xe6\x97\xa5\xe6\x9c\xac");
	table_cell(t, STYLE_PLAIN, "x");
	assert_printed(t, &term,
		       "READ ms  HOST\n"
		       "      1  \\x1b[31m\\x0aforged  row\n"
		       "   \xe6\x97\xa5\xe6\x9c\xac  x\n");
	table_free(&t);
}

static void
test_cells(void **state unused)
{
	static const struct {
		double ms, iops;
		const char *text;
	} rows[] = {
		{ NAN, NAN, "-" },    { NAN, 0, "-" },
		{ 0, 0, "idle" },     { 0, 12, "<1" },
		{ 0, NAN, "<1" },     { 0.04, 5, "<0.1" },
		{ 0.05, 5, "0.1" },   { 7.0, 0, "7.0" },
		{ 83.25, 5, "83.2" }, { 600000, 5, "600000.0" },
	};
	static const struct column one[] = { { "X", false, false, 0 } };
	struct term term = { .width = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct table *t = table_new(one, 1);
		char want[32];

		table_row(t);
		cell_ms(t, rows[i].ms, rows[i].iops, STYLE_PLAIN);
		snprintf(want, sizeof(want), "X\n%s\n", rows[i].text);
		assert_printed(t, &term, want);
		table_free(&t);
	}
}

static void
test_spark(void **state unused)
{
	static const double values[] = { 0, 1, 2, NAN, 3.5, 7, 6.4 };
	static const double none[] = { NAN, NAN }, flat[] = { 0, 0 };
	struct buf b;

	buf_init(&b, 100);
	spark_add(&b, values, ARRAY_SIZE(values), false);
	/* eighths of 7: 1 2 3 gap 5 (3.5 of 7 is 3.5 of 7 steps) 8 7 */
	assert_string_equal(buf_str(&b),
			    "\xe2\x96\x81\xe2\x96\x82\xe2\x96\x83"
			    " \xe2\x96\x85\xe2\x96\x88\xe2\x96\x87");
	buf_reset(&b);
	spark_add(&b, values, ARRAY_SIZE(values), true);
	assert_string_equal(buf_str(&b), "_.: =#*");
	buf_reset(&b);
	spark_add(&b, none, 2, true);
	spark_add(&b, flat, 2, true);
	spark_add(&b, NULL, 0, true);
	assert_string_equal(buf_str(&b), "  __");
	buf_fini(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_color), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_cells), cmocka_unit_test(test_spark),
	};

	text_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
