#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dslat/conf.h"
#include "dslat/mem.h"
#include "unit.h"

static char dir[] = "/tmp/dslat-conf-XXXXXX";

static int
make_dir(void **state unused)
{
	return mkdtemp(dir) == NULL ? -1 : 0;
}

static int
remove_dir(void **state unused)
{
	static const char *const names[] = { "f.yaml", "pw", "ca.pem", "run" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		if (unlink(path) != 0 && errno != ENOENT)
			return -1;
		free(path);
	}
	return rmdir(dir);
}

/* The path of a file of the test's folder, with that content. */
static char *
put(const char *name, const void *content, size_t len, mode_t mode)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f;

	unlink(path); /* one that nobody may read may be there */
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static char *
put_text(const char *name, const char *text, mode_t mode)
{
	return put(name, text, strlen(text), mode);
}

/* ---- conf_read_secret --------------------------------------------------- */

static void
test_secret_text(void **state unused)
{
#define CONTENT(s) s, sizeof(s) - 1
	static const struct {
		const char *content;
		size_t len;
		const char *secret; /* or NULL and the end of the message */
		const char *error;
	} rows[] = {
		{ CONTENT("hunter2"), "hunter2", NULL },
		{ CONTENT("hunter2\n"), "hunter2", NULL },
		{ CONTENT("hunter2\r\n"), "hunter2", NULL },
		{ CONTENT(" a&<>\"'\xc3\xa4 \n"), " a&<>\"'\xc3\xa4 ", NULL },
		{ CONTENT(""), NULL, "is empty; put the password there" },
		{ CONTENT("\n"), NULL, "is empty; put the password there" },
		{ CONTENT("\r\n"), NULL, "is empty; put the password there" },
		{ CONTENT("hunter2\n\n"), NULL,
		  "has more than one line; put only the password there" },
		{ CONTENT("hunter2\r"), NULL,
		  "has more than one line; put only the password there" },
		{ CONTENT("hunter2\nx"), NULL,
		  "has more than one line; put only the password there" },
		{ CONTENT("hunter2\0x"), NULL,
		  "holds a zero byte; put only the password there" },
		{ CONTENT("\xef\xbb\xbfhunter2"), NULL,
		  "begins with a byte order mark; save it without" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *path = put("pw", rows[i].content, rows[i].len, 0600);
		struct conf_target t = { .name = (char[]){ "lab" },
					 .password_file = path };
		struct secret s;
		struct err e;
		int rc = conf_read_secret(&t, &s, &e);

		print_message("row %zu\n", i);
		if (rows[i].secret != NULL) {
			assert_int_equal(rc, 0);
			assert_string_equal(s.text, rows[i].secret);
		} else {
			char *text = xasprintf("password of target lab: %s %s",
					       path, rows[i].error);

			assert_int_equal(rc, -1);
			assert_string_equal(e.text, text);
			assert_null(s.text);
			free(text);
		}
		secret_fini(&s);
		assert_null(s.text);
		free(path);
	}
}

static void
test_secret_large(void **state unused)
{
	char *long_text = xcalloc(1, 4098);
	struct conf_target t = { .name = (char[]){ "lab" } };
	struct secret s;
	struct err e;

	memset(long_text, 'x', 4097);
	t.password_file = put("pw", long_text, 4096, 0600);
	assert_int_equal(conf_read_secret(&t, &s, &e), 0);
	assert_int_equal(strlen(s.text), 4096);
	secret_fini(&s);
	free(t.password_file);

	t.password_file = put("pw", long_text, 4097, 0600);
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	assert_non_null(strstr(e.text, "is larger than 4 KiB"));
	free(t.password_file);

	t.password_file = dir;
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	assert_non_null(strstr(e.text, "is a folder; name a file in it"));
	t.password_file = NULL;

	setenv("DSLAT_TEST_PW", long_text, 1);
	t.password_env = (char[]){ "DSLAT_TEST_PW" };
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	assert_non_null(strstr(e.text, "DSLAT_TEST_PW is longer than 4096"));
	unsetenv("DSLAT_TEST_PW");
	free(long_text);
}

static void
test_secret_env(void **state unused)
{
	struct conf_target t = { .name = (char[]){ "lab" },
				 .password_env = (char[]){ "DSLAT_TEST_PW" } };
	struct secret s;
	struct err e;

	unsetenv("DSLAT_TEST_PW");
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	assert_string_equal(e.text,
			    "password of target lab: the environment variable "
			    "DSLAT_TEST_PW is not set; set it, or use "
			    "password_file");
	setenv("DSLAT_TEST_PW", "", 1);
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	setenv("DSLAT_TEST_PW", "hunter2", 1);
	assert_int_equal(conf_read_secret(&t, &s, &e), 0);
	assert_string_equal(s.text, "hunter2");
	secret_fini(&s);
	unsetenv("DSLAT_TEST_PW");
}

static void
test_secret_credential(void **state unused)
{
	struct conf_target t = { .name = (char[]){ "lab" },
				 .password_credential = (char[]){ "pw" } };
	struct secret s;
	struct err e;
	char *path = put_text("pw", "hunter2\n", 0400);

	unsetenv("CREDENTIALS_DIRECTORY");
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	assert_string_equal(e.text,
			    "password of target lab: systemd passed no "
			    "credentials; add LoadCredential=pw:FILE to the "
			    "service");
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	assert_int_equal(conf_read_secret(&t, &s, &e), 0);
	assert_string_equal(s.text, "hunter2");
	secret_fini(&s);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(conf_read_secret(&t, &s, &e), -1);
	assert_string_equal(e.text,
			    "password of target lab: systemd passed no "
			    "credential pw; add LoadCredential=pw:FILE to the "
			    "service");
	unsetenv("CREDENTIALS_DIRECTORY");
	free(path);
}

/* As a user that may not read it; root becomes nobody in a child. */
static void
test_secret_refused(void **state unused)
{
	char *path = put_text("pw", "hunter2", 0000);
	struct passwd *pw =
		getuid() == 0 ? getpwnam("nobody") : getpwuid(getuid());
	char *expected;
	int status;
	pid_t pid;

	assert_non_null(pw);
	assert_int_equal(chmod(dir, 0711), 0);
	expected = xasprintf(
		"password of target lab: user %s may not read %s; "
		"chown it to root:%s and chmod it 640, or use "
		"password_credential for a password",
		pw->pw_name, path, pw->pw_name);
	pid = fork();
	if (pid == 0) {
		struct conf_target t = { .name = (char[]){ "lab" },
					 .password_file = path };
		struct secret s;
		struct err e;

		if (getuid() == 0 && setuid(pw->pw_uid) != 0)
			_exit(3);
		if (conf_read_secret(&t, &s, &e) == 0)
			_exit(4);
		_exit(strcmp(e.text, expected) == 0 ? 0 : 5);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	free(expected);
	free(path);
}

/* ---- conf_load ---------------------------------------------------------- */

/* Loads yaml as f.yaml; "@" in it and in problems stands for the folder. */
static struct conf *
load(const char *yaml, const char *problems)
{
	struct buf text, expected, got;
	struct conf *c;
	struct err e = { .code = ERR_NONE };
	char *path;

	buf_init(&text, 65536);
	buf_init(&expected, 65536);
	buf_init(&got, 65536);
	for (; *yaml != '\0'; yaml++)
		if (*yaml == '@')
			buf_adds(&text, dir);
		else
			buf_addc(&text, *yaml);
	for (; *problems != '\0'; problems++)
		if (*problems == '@')
			buf_adds(&expected, dir);
		else
			buf_addc(&expected, *problems);
	path = put_text("f.yaml", buf_str(&text), 0600);
	c = conf_load(path, &got, &e);
	assert_string_equal(buf_str(&got), buf_str(&expected));
	assert_int_equal(e.code, c == NULL ? ERR_CONF : ERR_NONE);
	buf_fini(&text);
	buf_fini(&expected);
	buf_fini(&got);
	free(path);
	return c;
}

#define TARGET(keys)                                                           \
	"targets:\n  - { name: a, url: https://h, username: u,\n      " keys   \
	" }\n"
#define PEM                                                                    \
	"subject\n-----BEGIN CERTIFICATE-----\nAA==\n"                         \
	"-----END CERTIFICATE-----\n"

static void
test_load_files(void **state unused)
{
	struct conf *c;

	free(put_text("pw", "hunter2", 0640));
	free(put_text("ca.pem", PEM, 0644));
	c = load(TARGET("password_file: @/pw, tls: { ca_file: @/ca.pem }"), "");
	assert_non_null(c);
	conf_free(&c);

	free(put_text("pw", "hunter2", 0644));
	c = load(TARGET("password_file: @/pw"),
		 "@/f.yaml:3:22: warning: everybody on this machine can read "
		 "@/pw; chmod o= it\n");
	assert_non_null(c);
	conf_free(&c);

	free(put_text("pw", "", 0600));
	free(put_text("ca.pem", "\x30\x82", 0644));
	assert_null(load(TARGET("password_file: @/pw, "
				"tls: { ca_file: @/ca.pem }"),
			 "@/f.yaml:3:22: @/pw is empty; put the password "
			 "there\n"
			 "@/f.yaml:3:65: @/ca.pem holds no certificate in PEM "
			 "form; convert it with openssl x509, or name "
			 "another\n"));
	/* what is wrong in the file and in the files it names, in one run */
	assert_null(load(TARGET("password_file: @/none, "
				"tls: { ca_file: @/none, insecure: 1 }"),
			 "@/f.yaml:3:22: @/none does not exist; create it\n"
			 "@/f.yaml:3:67: @/none does not exist; create it\n"
			 "@/f.yaml:3:106: \"insecure\" is \"1\"; write true or "
			 "false\n"));
}

#define NOTIFY(keys)                                                           \
	TARGET("password_file: @/pw") "notify: [ { name: n, " keys " } ]\n"

/* The files of notifiers; systemd's credentials are only there for the
 * service. */
static void
test_load_notify(void **state unused)
{
	struct conf *c;

	free(put_text("pw", "hunter2", 0600));
	free(put_text("run", "#!/bin/sh\n", 0600));
	assert_null(load(NOTIFY("type: webhook, url: http://h, secret_file: "
				"@/none"),
			 "@/f.yaml:4:65: @/none does not exist; create it\n"));
	assert_null(load(NOTIFY("type: exec, command: [@/run, x]"),
			 "@/f.yaml:4:43: @/run cannot be run: Permission "
			 "denied; correct the path, or chmod +x it\n"));
	free(put_text("run", "#!/bin/sh\n", 0700));
	c = load(NOTIFY("type: exec, command: [@/run, x]"), "");
	assert_non_null(c);
	conf_free(&c);
	c = load(NOTIFY("type: webhook, url: http://h, secret_file: "
			"/run/credentials/dslatd-no-such.service/n"),
		 "@/f.yaml:4:65: warning: "
		 "/run/credentials/dslatd-no-such.service/n does not exist; "
		 "create it; only the service sees this folder\n");
	assert_non_null(c);
	conf_free(&c);
}

static void
test_load_env(void **state unused)
{
	struct conf *c;

	unsetenv("DSLAT_TEST_PW");
	unsetenv("CREDENTIALS_DIRECTORY");
	c = load(TARGET("password_env: DSLAT_TEST_PW"),
		 "@/f.yaml:3:21: warning: the environment variable "
		 "DSLAT_TEST_PW is not set; set it, or use password_file\n");
	assert_non_null(c);
	conf_free(&c);
	c = load(TARGET("password_credential: x"),
		 "@/f.yaml:3:28: warning: systemd passed no credentials; add "
		 "LoadCredential=x:FILE to the service\n");
	assert_non_null(c);
	conf_free(&c);
}

static void
test_load_bad_file(void **state unused)
{
	char *none = xasprintf("%s/none.yaml", dir), *big, *text;
	struct buf b;
	struct err e;
	struct conf *c;

	buf_init(&b, 65536);
	assert_null(conf_load(none, &b, &e));
	assert_int_equal(e.code, ERR_CONF);
	text = xasprintf(
		"there is no configuration %s; write one, see "
		"dslatd.yaml(5), or name another with -c\n",
		none);
	assert_string_equal(buf_str(&b), text);
	free(text);
	free(none);

	buf_reset(&b);
	assert_null(conf_load(dir, &b, &e));
	assert_int_equal(e.code, ERR_CONF);
	assert_non_null(strstr(buf_str(&b), "is a folder"));

	/* 10 MiB; and the largest that is read at all */
	big = xmalloc(10 << 20);
	memset(big, '#', 10 << 20);
	free(put("f.yaml", big, 10 << 20, 0600));
	text = xasprintf("%s/f.yaml", dir);
	buf_reset(&b);
	assert_null(conf_load(text, &b, &e));
	assert_non_null(strstr(buf_str(&b), "is larger than 1024 KiB"));
	free(put("f.yaml", big, 1 << 20, 0600));
	buf_reset(&b);
	assert_null(conf_load(text, &b, &e));
	assert_non_null(strstr(buf_str(&b), "the file is empty"));
	free(big);
	free(text);
	buf_fini(&b);

	c =
		load("\x7f"
		     "ELF\x01",
		     "@/f.yaml:1:1: byte 0x7f is not UTF-8 text; name the YAML "
		     "file itself, or save it as UTF-8\n");
	assert_null(c);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secret_text),
		cmocka_unit_test(test_secret_large),
		cmocka_unit_test(test_secret_env),
		cmocka_unit_test(test_secret_credential),
		cmocka_unit_test(test_secret_refused),
		cmocka_unit_test(test_load_files),
		cmocka_unit_test(test_load_notify),
		cmocka_unit_test(test_load_env),
		cmocka_unit_test(test_load_bad_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
