/*
 * dslat discover: what a target answers, for a bug report.  Asks the target,
 * not dslatd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"
#include "dslat/discover.h"
#include "dslat/mem.h"

#define PASSWORD_VARIABLE "DSLAT_PASSWORD"
#define PASSWORD_BYTES 1024

/* A line from the terminal without showing it.  -1: there is no terminal. */
static int
read_hidden(const char *prompt, char out[PASSWORD_BYTES])
{
	FILE *tty = fopen("/dev/tty", "r+");
	struct termios shown, hidden;
	bool ok;

	if (tty == NULL || tcgetattr(fileno(tty), &shown) != 0) {
		if (tty != NULL)
			fclose(tty);
		return -1;
	}
	hidden = shown;
	hidden.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(fileno(tty), TCSAFLUSH, &hidden);
	fputs(prompt, tty);
	fflush(tty);
	ok = fgets(out, PASSWORD_BYTES, tty) != NULL;
	tcsetattr(fileno(tty), TCSAFLUSH, &shown);
	fputs("\n", tty);
	fclose(tty);
	if (!ok)
		return -1;
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

/* The file, the variable, or a question: in this order. */
static int
find_password(const struct cli *c, struct conf_target *t, struct err *e)
{
	char password[PASSWORD_BYTES];
	char *prompt;
	int rc;

	if (c->opt[OPT_PASSWORD_FILE] != NULL) {
		xstrset(&t->password_file, c->opt[OPT_PASSWORD_FILE]);
		return 0;
	}
	xstrset(&t->password_env, PASSWORD_VARIABLE);
	if (getenv(PASSWORD_VARIABLE) != NULL)
		return 0;
	prompt = xasprintf("Password of %s at %s: ", t->username, t->url);
	rc = read_hidden(prompt, password);
	free(prompt);
	if (rc == 0)
		setenv(PASSWORD_VARIABLE, password, 1);
	mem_wipe(password, sizeof(password));
	if (rc != 0)
		return err_set(
			e, ERR_USAGE,
			"there is no terminal to ask for"
			" the password: give --password-file, or set " PASSWORD_VARIABLE);
	return 0;
}

static int
make_target(const struct cli *c, struct conf_target *t, struct err *e)
{
	const char *url = c->opt[OPT_URL];

	if (url == NULL)
		return err_set(e, ERR_USAGE,
			       "discover which target? --url"
			       " https://vcenter.example/sdk");
	if (c->opt[OPT_USER] == NULL)
		return err_set(e, ERR_USAGE,
			       "discover as which user? --user"
			       " name");
	xstrset(&t->name, "target");
	xstrset(&t->url, url);
	xstrset(&t->username, c->opt[OPT_USER]);
	xstrset(&t->ca_file, c->opt[OPT_CA_FILE]);
	xstrset(&t->fingerprint_sha256, c->opt[OPT_FINGERPRINT]);
	t->insecure = c->opt[OPT_INSECURE] != NULL;
	return find_password(c, t, e);
}

static void
free_target(struct conf_target *t)
{
	free(t->name);
	free(t->url);
	free(t->username);
	free(t->ca_file);
	free(t->fingerprint_sha256);
	free(t->password_file);
	free(t->password_env);
}

static void
write_out(void *arg, const char *text, size_t len)
{
	fwrite(text, 1, len, arg); /* ferror() says it at the end */
}

static int
run_discover(const struct cli *c, const struct conf_target *t, FILE *out)
{
	struct err e;
	struct loop *l = loop_new(&e);
	int rc;

	if (l == NULL)
		return cli_fail(c, &e);
	rc = discover_run(l, t, write_out, out, &e);
	loop_free(&l);
	if (rc != 0)
		return cli_fail(c, &e);
	return CLI_OK;
}

/* Readable by its owner alone, for pseudonyms are not perfect. */
static FILE *
open_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

static int
discover_into(const struct cli *c, const struct conf_target *t,
	      const char *path)
{
	FILE *f = open_output(path);
	bool written;
	int status;

	if (f == NULL) {
		cli_say(c, stderr, "dslat: cannot write %s: %s", path,
			strerror(errno));
		return CLI_FAILED;
	}
	status = run_discover(c, t, f);
	written = ferror(f) == 0;
	if (fclose(f) != 0 || !written) {
		cli_say(c, stderr, "dslat: cannot write %s", path);
		return CLI_FAILED;
	}
	cli_say(c, stderr,
		"%s is written; please look through it before you"
		" pass it on",
		path);
	return status;
}

int
cmd_discover(struct cli *c)
{
	struct conf_target t = { .name = NULL };
	struct err e;
	int status;

	if (make_target(c, &t, &e) != 0)
		status = cli_fail(c, &e);
	else if (c->opt[OPT_OUTPUT] != NULL)
		status = discover_into(c, &t, c->opt[OPT_OUTPUT]);
	else
		status = run_discover(c, &t, stdout);
	free_target(&t);
	return status;
}
