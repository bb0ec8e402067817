/*
 * conf_faults.h - tables of wrong configurations, and all that is said of each.
 *
 * For test_conf_faults.c and test_conf_values.c.
 */
#ifndef DSLAT_CONF_FAULTS_H
#define DSLAT_CONF_FAULTS_H

#include <string.h>

#include "dslat/conf.h"
#include "unit.h"

struct row {
	const char *yaml;
	const char *problems; /* without "f:" before each */
};

static inline void
check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf got, expected;
		struct err e = { .code = ERR_NONE };
		const char *line = rows[i].problems;

		print_message("%s\n", rows[i].yaml);
		buf_init(&got, 65536);
		buf_init(&expected, 65536);
		while (*line != '\0') {
			size_t len = strcspn(line, "\n") + 1;

			buf_adds(&expected, "f:");
			buf_add(&expected, line, len);
			line += len;
		}
		assert_null(conf_parse(rows[i].yaml, strlen(rows[i].yaml), "f",
				       &got, &e));
		assert_string_equal(buf_str(&got), buf_str(&expected));
		assert_int_equal(e.code, ERR_CONF);
		buf_fini(&got);
		buf_fini(&expected);
	}
}

/* A good target in line 1, for what comes behind it. */
#define GOOD                                                                   \
	"targets: [{ name: a, url: https://h, username: u, "                   \
	"password_env: P }]\n"
/* A target whose url starts in column 27, or one with more keys. */
#define URL(url)                                                               \
	"targets: [{ name: a, url: " url ", username: u, password_env: P }]\n"
#define PLUS(keys)                                                             \
	"targets:\n"                                                           \
	"  - { name: a, url: https://h, username: u, password_env: P,\n"       \
	"      " keys " }\n"

#endif
