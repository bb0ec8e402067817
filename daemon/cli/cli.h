/*
 * cli.h - one run of the dslat command: its arguments, dslatd's answers.
 *
 * A command is a row of cli_commands[]; an option is a row of cli_options[],
 * which says for which commands it is.  Commands answer an exit status; what
 * went wrong goes to standard error as one line.
 */
#ifndef DSLAT_CLI_H
#define DSLAT_CLI_H

#include <stdio.h>

#include "api.h"
#include "term.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

enum cli_option {
	OPT_HELP,
	OPT_VERSION,
	OPT_URL,
	OPT_JSON,
	OPT_CA_FILE,
	OPT_FINGERPRINT,
	OPT_INSECURE,
	OPT_TOKEN_FILE,
	OPT_TARGET,
	OPT_PROTOCOL,
	OPT_STATE,
	OPT_FROM,
	OPT_TO,
	OPT_A_FROM,
	OPT_A_TO,
	OPT_B_FROM,
	OPT_B_TO,
	OPT_METRIC,
	OPT_POINTS,
	OPT_HOST,
	OPT_SPARK,
	OPT_LIMIT,
	OPT_USER,
	OPT_PASSWORD_FILE,
	OPT_OUTPUT,
	OPT_FORMAT,
	OPT_FORCE,
	OPT_OPEN,
	OPT_AT,
	OPT_DATASTORE,
	OPT_FOR,
	OPT_UNTIL,
	OPT_KIND,
	OPT_OP,
	OPT_NOTE,
	OPT_ROLE,
	OPT_FILE,
	N_OPTS,
};

struct cli {
	const char *opt[N_OPTS]; /* "" for a flag that was given; or NULL */
	char **names;            /* the other arguments */
	size_t n_names;
	struct term term;
	struct api *api; /* NULL for a command that does not ask dslatd */
};

struct cli_command {
	const char *name;
	int (*run)(struct cli *c);
	const char *args; /* behind the options in the usage line */
	size_t max_names;
	bool asks_dslatd;
	const char *summary; /* one line, for dslat --help */
	const char *help;    /* the rest of dslat COMMAND --help */
};

/* One line, made safe for a terminal. */
void cli_say(const struct cli *c, FILE *out, const char *fmt, ...)
	printf_like(3, 4);
/* "dslat: text" to standard error; the exit status for it. */
int cli_fail(const struct cli *c, const struct err *e) must_check;
/* Of an answer whose `partial` says why not all is in it: a line to standard
 * error. */
void cli_say_partial(const struct cli *c, const json_t *v);
/* The answer itself to standard output, for --json. */
int cli_pass(struct cli *c, const char *path) must_check;
/* Wrong usage: the exit status for it. */
int cli_usage(const struct cli *c, const char *fmt, ...) printf_like(2, 3)
	must_check;
/* The value as compact JSON to standard output; takes it. */
int cli_print_json(json_t *v) must_check;

int cmd_status(struct cli *c);
int cmd_datastores(struct cli *c);
int cmd_hosts(struct cli *c);
int cmd_series(struct cli *c);
int cmd_peaks(struct cli *c);
int cmd_compare(struct cli *c);
int cmd_export(struct cli *c);
int cmd_discover(struct cli *c);
int cmd_incidents(struct cli *c);
int cmd_ack(struct cli *c);
int cmd_events(struct cli *c);
int cmd_note(struct cli *c);
int cmd_silence(struct cli *c);
int cmd_notify(struct cli *c);
int cmd_token(struct cli *c);

#endif
