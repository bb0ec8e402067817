#include "dslat/faults.h"

#include <string.h>

#include "unit.h"

static void
test_sorted(void **state unused)
{
	struct faults f;
	struct buf out;
	struct err e;

	faults_init(&f, "a.yaml");
	buf_init(&out, 4096);
	fault_add(&f, (struct mark){ 10, 2 }, "ten");
	fault_warn(&f, (struct mark){ 9, 30 }, "nine %d", 30);
	fault_add(&f, (struct mark){ 9, 4 }, "nine first");
	fault_add(&f, (struct mark){ 9, 4 }, "nine second");
	fault_add(&f, (struct mark){ 0 }, "all of it");
	faults_print(&f, &out);
	assert_string_equal(buf_str(&out),
			    "a.yaml: all of it\n"
			    "a.yaml:9:4: nine first\n"
			    "a.yaml:9:4: nine second\n"
			    "a.yaml:9:30: warning: nine 30\n"
			    "a.yaml:10:2: ten\n");
	assert_int_equal(faults_result(&f, &e), -1);
	assert_int_equal(e.code, ERR_CONF);
	assert_string_equal(e.text, "4 faults, the first: a.yaml: all of it");
	faults_fini(&f);
	buf_fini(&out);
}

static void
test_result(void **state unused)
{
	struct faults f;
	struct err e = { .code = ERR_NONE };

	faults_init(&f, "a");
	assert_int_equal(faults_result(&f, &e), 0);
	fault_warn(&f, (struct mark){ 1, 1 }, "mind this");
	assert_int_equal(faults_result(&f, &e), 0);
	assert_int_equal(e.code, ERR_NONE);
	fault_add(&f, (struct mark){ 2, 3 }, "wrong");
	assert_int_equal(faults_result(&f, &e), -1);
	assert_string_equal(e.text, "a:2:3: wrong");
	faults_fini(&f);
}

/* What stands in a file cannot make a second line. */
static void
test_one_line(void **state unused)
{
	struct faults f;
	struct buf out;

	faults_init(&f, "a");
	buf_init(&out, 4096);
	fault_add(&f, (struct mark){ 1, 1 }, "a\nb\x1b[2J\x7f\tc");
	faults_print(&f, &out);
	assert_string_equal(buf_str(&out), "a:1:1: a?b?[2J??c\n");
	faults_fini(&f);
	buf_fini(&out);
}

static void
test_many(void **state unused)
{
	struct faults f;
	struct buf out;
	struct err e;
	int n_lines = 0;

	faults_init(&f, "a");
	buf_init(&out, 65536);
	for (int i = 0; i < FAULTS_MAX + 7; i++)
		fault_add(&f, (struct mark){ i + 1, 1 }, "x");
	faults_print(&f, &out);
	for (const char *s = buf_str(&out); *s != '\0'; s++)
		n_lines += *s == '\n';
	assert_int_equal(n_lines, FAULTS_MAX + 1);
	assert_non_null(strstr(buf_str(&out), "\na: 7 more not shown\n"));
	assert_int_equal(faults_result(&f, &e), -1);
	assert_string_equal(e.text, "207 faults, the first: a:1:1: x");
	faults_fini(&f);
	buf_fini(&out);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
