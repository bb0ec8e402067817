#include "dslat/mem.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static void
test_zero_filled(void **state unused)
{
	unsigned char *p = xcalloc(100, 7);

	for (int i = 0; i < 700; i++)
		assert_int_equal(p[i], 0);
	free(p);
}

/* Zero bytes is not "no memory". */
static void
test_zero_bytes(void **state unused)
{
	void *p;

	p = xmalloc(0);
	assert_non_null(p);
	free(p);
	p = xcalloc(0, 8);
	assert_non_null(p);
	free(p);
	p = xreallocarray(NULL, 0, 8);
	assert_non_null(p);
	free(p);
}

static void
test_grow(void **state unused)
{
	int *p = xreallocarray(NULL, 2, sizeof(*p));

	p[0] = 11;
	p[1] = 12;
	p = xreallocarray(p, 1000, sizeof(*p));
	assert_int_equal(p[0], 11);
	assert_int_equal(p[1], 12);
	p[999] = 1;
	free(p);
}

static void
test_strings(void **state unused)
{
	char *s;

	s = xstrdup("abc");
	assert_string_equal(s, "abc");
	free(s);
	s = xstrndup("abcdef", 3);
	assert_string_equal(s, "abc");
	free(s);
	s = xasprintf("%s-%d", "x", 7);
	assert_string_equal(s, "x-7");
	free(s);
}

static void
test_strset(void **state unused)
{
	static const struct {
		const char *to;
		bool differs;
	} steps[] = {
		{ NULL, false }, { "a", true },  { "a", false },  { "b", true },
		{ "", true },    { NULL, true }, { NULL, false },
	};
	char *s = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(xstrset(&s, steps[i].to), steps[i].differs);
		if (steps[i].to == NULL)
			assert_null(s);
		else
			assert_string_equal(s, steps[i].to);
	}
}

static void
test_wipe(void **state unused)
{
	char secret[8] = "hunter2";

	mem_wipe(secret, sizeof(secret));
	for (size_t i = 0; i < sizeof(secret); i++)
		assert_int_equal(secret[i], 0);
}

/* n * size past SIZE_MAX must end the program, not return a small block. */
static void
test_overflow_aborts(void **state unused)
{
	static const struct rlimit no_core = { 0, 0 };
	volatile size_t n = SIZE_MAX / 4;

	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			void *volatile p;

			setrlimit(RLIMIT_CORE, &no_core);
			signal(SIGABRT, SIG_DFL);
			close(STDERR_FILENO);
			p = i == 0 ? xreallocarray(NULL, n, 8) : xcalloc(n, 8);
			_exit(p != NULL ? 1 : 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		/* a sanitizer may report the overflow itself and exit */
		assert_false(WIFEXITED(status) && WEXITSTATUS(status) <= 1 &&
			     i == 0);
		assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero_filled),
		cmocka_unit_test(test_zero_bytes),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_strset),
		cmocka_unit_test(test_wipe),
		cmocka_unit_test(test_overflow_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
