/*
 * dslat: the command line of dslatd.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dslat/conf.h"
#include "options.h"

/* The option, else the variable, else NULL. */
static const char *
option_or(const struct cli *c, enum cli_option o, const char *variable)
{
	const char *value = c->opt[o];

	if (value == NULL)
		value = getenv(variable);
	return value != NULL && *value != '\0' ? value : NULL;
}

static int
run(struct cli *c, const struct cli_command *command)
{
	const struct fetch_tls tls = {
		.ca_file = option_or(c, OPT_CA_FILE, "DSLAT_CA_FILE"),
		.fingerprint_sha256 = c->opt[OPT_FINGERPRINT],
		.insecure = c->opt[OPT_INSECURE] != NULL,
	};
	const char *url = option_or(c, OPT_URL, "DSLAT_URL");
	const char *token = option_or(c, OPT_TOKEN_FILE, "DSLAT_TOKEN_FILE");
	struct err e;
	int status;

	if (!command->asks_dslatd)
		return command->run(c);
	c->api = api_new(url != NULL ? url : "http://" CONF_DEFAULT_LISTEN,
			 &tls, &e);
	if (c->api == NULL)
		return cli_fail(c, &e);
	if (token != NULL && api_set_token_file(c->api, token, &e) != 0)
		status = cli_fail(c, &e);
	else
		status = command->run(c);
	api_free(&c->api);
	return status;
}

/* Output that did not arrive is a failure; a reader that had enough
 * (`dslat series x | head`) is told nothing. */
static int
finish(const struct cli *c, int status)
{
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return status;
	if (errno != EPIPE)
		cli_say(c, stderr, "dslat: cannot write: %s", strerror(errno));
	return CLI_FAILED;
}

int
main(int argc, char **argv)
{
	struct cli c = { .term = term_of_stdout() };
	const struct cli_command *command;
	struct err e;

	if (options_parse(&c, argc, argv, &command, &e) != 0)
		return cli_fail(&c, &e);
	if (c.opt[OPT_HELP] != NULL)
		options_help(command);
	else if (c.opt[OPT_VERSION] != NULL)
		puts("dslat " PACKAGE_VERSION);
	else
		return finish(&c, run(&c, command));
	return finish(&c, CLI_OK);
}
