#include "dslat/tokens.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

/* Hashes here: Python's hashlib.sha256(text).hexdigest(). */
#define TOKEN                                                                  \
	"dslat_"                                                               \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TOKEN_HEX                                                              \
	"3961209b7f37bc7ff445d43a2eb2506f07992c3a8dfd8eb6ce045152ba42d27e"
#define ABC_HEX                                                                \
	"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static void
test_digest(void **state unused)
{
	unsigned char a[SHA256_BYTES], b[SHA256_BYTES];
	char hex[SHA256_HEX_SIZE];

	digest_sha256("abc", 3, a);
	digest_hex(a, sizeof(a), hex);
	assert_string_equal(hex, ABC_HEX);
	assert_int_equal(digest_from_hex(ABC_HEX, b, sizeof(b)), 0);
	assert_true(digest_equal(a, b, sizeof(a)));
	b[31] ^= 1;
	assert_false(digest_equal(a, b, sizeof(a)));
	assert_int_equal(digest_from_hex("0G", b, 1), -1);
	assert_int_equal(digest_from_hex("0", b, 1), -1);
	assert_int_equal(digest_from_hex("000", b, 1), -1);
	assert_int_equal(digest_from_hex("fA", b, 1), 0);
	assert_int_equal(b[0], 0xfa);
}

static void
test_parse(void **state unused)
{
	static const struct {
		const char *text, *fault; /* of the first wrong line */
		size_t n, n_bad;
	} rows[] = {
		{ "", "", 0, 0 },
		{ "# nothing\n\n   \n", "", 0, 0 },
		{ "ops:write:" TOKEN_HEX, "", 1, 0 },
		{ "  ops:write:" TOKEN_HEX " \t\r\na.b-c_1:read:" ABC_HEX "\n",
		  "", 2, 0 },
		{ "ops\n", "line 1: must be NAME:ROLE:SHA256", 0, 1 },
		{ "\nops:write\n", "line 2: must be NAME:ROLE:SHA256", 0, 1 },
		{ ":write:" ABC_HEX "\n", "line 1: the name is empty", 0, 1 },
		{ "a b:write:" ABC_HEX "\n", "line 1: the name may have", 0,
		  1 },
		{ "ops:admin:" ABC_HEX "\n",
		  "line 1: the role must be \"read\" or \"write\"", 0, 1 },
		{ "ops:write:" TOKEN "\n", "line 1: this is the token itself",
		  0, 1 },
		{ "ops:write:" ABC_HEX "0\n",
		  "line 1: the third part must be 64 hex digits", 0, 1 },
		{ "ops:write:abc\n", "line 1: the third part must be", 0, 1 },
		/* what is right counts, what is wrong does not */
		{ "x\nops:read:" ABC_HEX "\nops:write:" TOKEN_HEX
		  "\nb:read:" TOKEN_HEX,
		  "line 1: must be", 2, 2 },
		{ "ops:read:" ABC_HEX "\nops:write:" TOKEN_HEX "\n",
		  "line 2: a second token of that name", 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { ERR_NONE, "" };
		struct tokens t;

		print_message("%s\n", rows[i].text);
		assert_int_equal(tokens_parse(&t, rows[i].text,
					      strlen(rows[i].text), &e),
				 rows[i].n_bad);
		assert_int_equal(t.n, rows[i].n);
		if (strncmp(e.text, rows[i].fault, strlen(rows[i].fault)) != 0)
			fail_msg("\"%s\"", e.text);
		assert_null(strstr(e.text, "0123456789abcdef"));
		tokens_fini(&t);
	}
}

static void
test_find(void **state unused)
{
	static const char text[] = "reader:read:" ABC_HEX
				   "\n"
				   "ops:write:" TOKEN_HEX "\n";
	const struct token *found;
	struct tokens t;
	struct err e;

	assert_int_equal(tokens_parse(&t, text, sizeof(text) - 1, &e), 0);
	found = tokens_find(&t, TOKEN);
	assert_non_null(found);
	assert_string_equal(found->name, "ops");
	assert_int_equal(found->role, TOKEN_WRITE);
	found = tokens_find(&t, "abc");
	assert_non_null(found);
	assert_string_equal(found->name, "reader");
	assert_int_equal(found->role, TOKEN_READ);
	assert_null(tokens_find(&t, ""));
	assert_null(tokens_find(&t, "ab"));
	assert_null(tokens_find(&t, TOKEN "0"));
	assert_null(tokens_find(&t, TOKEN_HEX)); /* the hash is no token */
	tokens_fini(&t);
}

static void
test_zero_byte(void **state unused)
{
	static const char text[] = "ops:write:" TOKEN_HEX
				   "\0\n"
				   "b:read:" ABC_HEX "\n";
	struct tokens t;
	struct err e;

	assert_int_equal(tokens_parse(&t, text, sizeof(text) - 1, &e), 1);
	assert_string_equal(e.text, "line 1: has a zero byte");
	assert_int_equal(t.n, 1);
	tokens_fini(&t);
}

static void
test_make(void **state unused)
{
	char a[TOKEN_SIZE], b[TOKEN_SIZE];
	struct tokens t;
	struct buf line;
	struct err e;

	token_make(a);
	token_make(b);
	assert_int_equal(strlen(a), 6 + 64);
	assert_memory_equal(a, "dslat_", 6);
	assert_int_equal(strspn(a + 6, "0123456789abcdef"), 64);
	assert_string_not_equal(a, b);
	buf_init(&line, 1000);
	assert_int_equal(token_line(&line, "x", TOKEN_WRITE, TOKEN), 0);
	assert_string_equal(buf_str(&line), "x:write:" TOKEN_HEX "\n");
	assert_int_equal(tokens_parse(&t, buf_str(&line), line.len, &e), 0);
	assert_non_null(tokens_find(&t, TOKEN));
	tokens_fini(&t);
	buf_fini(&line);
	assert_string_equal(token_name_fault("a.b-c_1"), "");
	assert_string_not_equal(token_name_fault(""), "");
	assert_string_not_equal(token_name_fault("a:b"), "");
}

/* ---- the file ----------------------------------------------------------- */

static void
test_file(void **state unused)
{
	char dir[] = "/tmp/dslat-tokens-XXXXXX", path[64];
	struct tokens_stamp before, after;
	struct tokens t;
	struct stat st;
	struct err e;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/tokens", dir);
	assert_int_equal(tokens_load(&t, path, &e), -1);
	assert_non_null(strstr(e.text,
			       "does not exist; make it with: dslat "
			       "token new"));
	tokens_stamp(path, &before);

	assert_int_equal(tokens_append(path, "a", "a:read:" ABC_HEX "\n", &e),
			 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	tokens_stamp(path, &after);
	assert_false(tokens_stamp_same(&before, &after));
	assert_true(tokens_stamp_same(&after, &after));

	/* a last line without its newline stays a line of its own */
	assert_int_equal(truncate(path, st.st_size - 1), 0);
	assert_int_equal(
		tokens_append(path, "b", "b:write:" TOKEN_HEX "\n", &e), 0);
	assert_int_equal(tokens_load(&t, path, &e), 0);
	assert_string_equal(e.text, "");
	assert_int_equal(t.n, 2);
	tokens_fini(&t);
	assert_int_equal(tokens_append(path, "a", "a:read:" ABC_HEX "\n", &e),
			 -1);
	assert_int_equal(e.code, ERR_USAGE);

	assert_int_equal(tokens_append(path, "c", "c:oops:" ABC_HEX "\n", &e),
			 0);
	assert_int_equal(tokens_load(&t, path, &e), 0);
	assert_non_null(strstr(e.text, "(1 wrong line): line 3: the role"));
	assert_int_equal(t.n, 2);
	tokens_fini(&t);

	unlink(path);
	rmdir(dir);
}

static void
test_modes(void **state unused)
{
	static const struct {
		mode_t mode;
		const char *fault; /* NULL: fine */
	} rows[] = {
		{ 0600, NULL },
		{ 0400, NULL },
		{ 0640, NULL },
		{ 0660, "has mode 660, so others may change it; chmod it 600" },
		{ 0602, "has mode 602, so others may change it" },
		{ 0644, "has mode 644, so others may read it" },
	};
	char dir[] = "/tmp/dslat-tokens-XXXXXX", path[64];
	struct tokens t;
	struct err e;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/tokens", dir);
	assert_int_equal(tokens_append(path, "a", "a:read:" ABC_HEX "\n", &e),
			 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(chmod(path, rows[i].mode), 0);
		assert_int_equal(tokens_load(&t, path, &e),
				 rows[i].fault == NULL ? 0 : -1);
		assert_int_equal(t.n, rows[i].fault == NULL ? 1 : 0);
		if (rows[i].fault != NULL) {
			if (strstr(e.text, rows[i].fault) == NULL)
				fail_msg("%s", e.text);
			assert_int_equal(tokens_append(path, "b", "x\n", &e),
					 -1);
		}
		tokens_fini(&t);
	}
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(tokens_load(&t, path, &e), -1);
	assert_non_null(strstr(e.text, "is not a file"));
	rmdir(path);
	rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest), cmocka_unit_test(test_parse),
		cmocka_unit_test(test_find),   cmocka_unit_test(test_zero_byte),
		cmocka_unit_test(test_make),   cmocka_unit_test(test_file),
		cmocka_unit_test(test_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
