#include "options.h"

#include <getopt.h>
#include <string.h>

static const struct cli_command commands[] = {
	{ "status", cmd_status, "", 0, true, "how dslatd and its targets are",
	  "One row per vCenter or ESXi host that dslatd asks: its state, how\n"
	  "long ago the last good poll was, how far its clock is from dslatd's.\n" },
	{ "datastores", cmd_datastores, "[DATASTORE]", 1, true,
	  "the newest read and write latency of every datastore",
	  "Means are weighted by I/Os over the hosts; beside them the worst\n"
	  "host.  With a DATASTORE: all about it, one row per host.\n" },
	{ "hosts", cmd_hosts, "[HOST]", 1, true, "the same for every host",
	  "With a HOST: all about it, one row per datastore.\n" },
	{ "series", cmd_series, "DATASTORE", 1, true, "one datastore over time",
	  "One row per interval: the mean and the largest value in it, then\n"
	  "small bars of the largest values.\n" },
	{ "peaks", cmd_peaks, "", 0, true,
	  "the worst samples, with time, datastore and host",
	  "A sample is 20 s of one host and datastore.\n" },
	{ "compare", cmd_compare, "A B", 2, true,
	  "which of two sides is slower, and how sure that is",
	  "A and B: nfs, iscsi or another protocol, a DATASTORE, or one of\n"
	  "family:, protocol:, datastore:, host:, cluster:, target: with a name\n"
	  "behind it; several with commas, as nfs,host:esx1.  Samples of the same\n"
	  "20 s are compared; with --a-from and the like, two times.\n" },
	{ "export", cmd_export, "[DATASTORE]...", 64, true,
	  "every sample of a span, as a file for other programs",
	  "As csv, ndjson, openmetrics or influx (line protocol), of all or of\n"
	  "some datastores.  An ID, as lab:61a-b, may be of one that left the\n"
	  "inventory.\n" },
	{ "discover", cmd_discover, "", 0, false,
	  "what a target answers, made anonymous, for a bug report",
	  "Asks a vCenter or ESXi host itself, not dslatd: logs in, reads what\n"
	  "dslatd reads, logs out.  Names, addresses and identifiers in its\n"
	  "answers become pseudonyms.  The password comes from --password-file,\n"
	  "$DSLAT_PASSWORD, or a question.\n" },
	{ "incidents", cmd_incidents, "", 0, true,
	  "what went wrong, and what still does",
	  "One row per incident, newest first; WHERE TO LOOK is what dslatd\n"
	  "makes of it.\n" },
	{ "ack", cmd_ack, "ID [NOTE]", 2, true,
	  "say that somebody looks after an incident",
	  "ID is that of \"dslat incidents\".  Needs a token with the role\n"
	  "write.\n" },
	{ "events", cmd_events, "", 0, true,
	  "the time line: notes, changes, and who made them",
	  "Newest first.\n" },
	{ "note", cmd_note, "TEXT", 1, true, "write on the time line",
	  "As in: dslat note \"raised NFS queue depth\".  Needs a token with\n"
	  "the role write.\n" },
	{ "silence", cmd_silence, "add PATTERN | list | remove ID", 2, true,
	  "keep notifiers quiet for a while",
	  "PATTERN is one of the shell on target/datastore, target/host or\n"
	  "target; quote it.  Incidents are recorded and shown all the same.\n"
	  "Adding and removing need a token with the role write.\n" },
	{ "notify", cmd_notify, "test NAME", 2, true,
	  "send a test message through a notifier",
	  "Waits until it arrived or did not.  Needs a token with the role\n"
	  "write.\n" },
	{ "token", cmd_token, "new NAME", 2, false,
	  "make a token for dslatd's tokens file",
	  "Prints the token, which is nowhere else, and the line to add to the\n"
	  "file that web.tokens_file names.  With --file it adds the line\n"
	  "itself and prints the token alone.\n" },
};

#define BIT(command) (1u << (command))
enum {
	STATUS,
	DATASTORES,
	HOSTS,
	SERIES,
	PEAKS,
	COMPARE,
	EXPORT,
	DISCOVER,
	INCIDENTS,
	ACK,
	EVENTS,
	NOTE,
	SILENCE,
	NOTIFY,
	TOKEN
};
#define LISTS (BIT(DATASTORES) | BIT(HOSTS))
#define TIMES (BIT(SERIES) | BIT(PEAKS) | BIT(COMPARE) | BIT(EXPORT))
#define ALL (BIT(ARRAY_SIZE(commands)) - 1)
#define ASKS (ALL & ~(BIT(DISCOVER) | BIT(TOKEN))) /* dslatd */
#define NETWORK (ALL & ~BIT(TOKEN))

static const struct {
	const char *name, *arg; /* arg NULL: a flag */
	char letter;            /* or 0 */
	unsigned commands;      /* BIT()s */
	const char *text;
} options[N_OPTS] = {
	[OPT_HELP] = { "help", NULL, 'h', ALL, "print this text" },
	[OPT_VERSION] = { "version", NULL, 'V', ALL, "print the version" },
	[OPT_URL] = { "url", "URL", 'u', NETWORK,
		      "where dslatd is: http://host:port or unix:/path"
		      "\n($DSLAT_URL, else http://127.0.0.1:9969)" },
	[OPT_JSON] = { "json", NULL, 'j', ASKS,
		       "print dslatd's answer itself, as JSON" },
	[OPT_CA_FILE] = { "ca-file", "FILE", 0, NETWORK,
			  "for https: trust the CAs of this file alone"
			  "\n($DSLAT_CA_FILE)" },
	[OPT_FINGERPRINT] = { "fingerprint", "HEX", 0, NETWORK,
			      "for https: trust the certificate with this"
			      "\nSHA-256 fingerprint" },
	[OPT_INSECURE] = { "insecure", NULL, 0, NETWORK,
			   "for https: trust any certificate" },
	[OPT_TOKEN_FILE] = { "token-file", "FILE", 0, ASKS,
			     "with the token to show dslatd"
			     "\n($DSLAT_TOKEN_FILE)" },
	[OPT_TARGET] = { "target", "NAME", 0, LISTS | BIT(NOTE),
			 "only this target; several with commas; of note the"
			 "\none it is about" },
	[OPT_PROTOCOL] = { "protocol", "NAME", 0,
			   BIT(DATASTORES) | BIT(SILENCE),
			   "only these, as nfs, nfs41, iscsi; of silence a"
			   "\npattern" },
	[OPT_STATE] = { "state", "NAME", 0, LISTS,
			"only in this state, as critical,warning" },
	[OPT_FROM] = { "from", "TIME", 0,
		       TIMES | BIT(INCIDENTS) | BIT(EVENTS) | BIT(SILENCE),
		       "begin: RFC 3339, seconds since 1970, or -30m, -1h"
		       "\n(default: an hour before the end)" },
	[OPT_TO] = { "to", "TIME", 0, TIMES | BIT(INCIDENTS) | BIT(EVENTS),
		     "end (default: now)" },
	[OPT_A_FROM] = { "a-from", "TIME", 0, BIT(COMPARE),
			 "begin of A alone" },
	[OPT_A_TO] = { "a-to", "TIME", 0, BIT(COMPARE), "end of A alone" },
	[OPT_B_FROM] = { "b-from", "TIME", 0, BIT(COMPARE),
			 "begin of B alone" },
	[OPT_B_TO] = { "b-to", "TIME", 0, BIT(COMPARE), "end of B alone" },
	[OPT_METRIC] = { "metric", "LIST", 0, BIT(SERIES),
			 "of read_ms,write_ms,read_iops,write_iops,"
			 "\nread_bytes_per_s,write_bytes_per_s (default: the"
			 "\nfirst two); on block storage device_ms,kernel_ms,"
			 "\nqueue_ms, or of one direction as read_device_ms" },
	[OPT_POINTS] = { "points", "N", 0, BIT(SERIES),
			 "about so many rows (default: 60)" },
	[OPT_HOST] = { "host", "HOST", 0, BIT(SERIES) | BIT(EXPORT) | BIT(NOTE),
		       "of this host alone (default: over all hosts); of"
		       "\nnote the one it is about" },
	[OPT_SPARK] = { "spark", NULL, 0, BIT(SERIES),
			"the bars only, no rows" },
	[OPT_LIMIT] = { "limit", "N", 0, BIT(PEAKS) | BIT(EVENTS),
			"how many (default: 20)" },
	[OPT_USER] = { "user", "NAME", 0, BIT(DISCOVER), "to log in as" },
	[OPT_PASSWORD_FILE] = { "password-file", "FILE", 0, BIT(DISCOVER),
				"with the user's password" },
	[OPT_OUTPUT] = { "output", "FILE", 'o', BIT(DISCOVER) | BIT(EXPORT),
			 "write there (default: standard output)" },
	[OPT_FORMAT] = { "format", "NAME", 0, BIT(EXPORT),
			 "csv (default), ndjson, openmetrics or influx" },
	[OPT_FORCE] = { "force", NULL, 0, BIT(EXPORT),
			"replace FILE if it is there" },
	[OPT_OPEN] = { "open", NULL, 0, BIT(INCIDENTS),
		       "only those that have not ended" },
	[OPT_AT] = { "at", "TIME", 0, BIT(NOTE),
		     "when it was: RFC 3339, or -10m (default: now)" },
	[OPT_DATASTORE] = { "datastore", "DATASTORE", 0, BIT(NOTE),
			    "the one it is about" },
	[OPT_FOR] = { "for", "DURATION", 0, BIT(SILENCE),
		      "how long, as 90m, 2h, 1d12h" },
	[OPT_UNTIL] = { "until", "TIME", 0, BIT(SILENCE),
			"or its end: RFC 3339" },
	[OPT_KIND] = { "kind", "KIND", 0,
		       BIT(INCIDENTS) | BIT(EVENTS) | BIT(SILENCE),
		       "of incidents: slow, no_data, inaccessible,"
		       "\nunreachable, login; of events: note, audit,"
		       "\nsetting, vsphere, dslatd, incident; of silence"
		       "\na pattern" },
	[OPT_OP] = { "op", "OP", 0, BIT(SILENCE), "read or write alone" },
	[OPT_NOTE] = { "note", "TEXT", 0, BIT(SILENCE), "why" },
	[OPT_ROLE] = { "role", "ROLE", 0, BIT(TOKEN),
		       "read (default), or write, which may read too" },
	[OPT_FILE] = { "file", "FILE", 0, BIT(TOKEN),
		       "add the line to this tokens file" },
};

static const char names_text[] =
	"A DATASTORE or HOST is given by its ID, as target/name, or by its\n"
	"name if only one has it; of a HOST up to the first dot is enough.\n";

/* ---- help --------------------------------------------------------------- */

static bool
is_of_all(enum cli_option o)
{
	return (options[o].commands & ASKS) == ASKS;
}

static void
print_option(enum cli_option o, const struct cli_command *command)
{
	const char *text = options[o].text;
	char left[40];
	int n;

	if (o == OPT_URL && command != NULL && !command->asks_dslatd)
		text = "the vCenter or ESXi host: https://host/sdk";
	n = options[o].letter != 0
		? snprintf(left, sizeof(left), "-%c, ", options[o].letter)
		: snprintf(left, sizeof(left), "    ");

	snprintf(left + n, sizeof(left) - (size_t)n, "--%s%s%s",
		 options[o].name, options[o].arg != NULL ? " " : "",
		 options[o].arg != NULL ? options[o].arg : "");
	printf("  %-24s", left);
	for (size_t len; len = strcspn(text, "\n"), true; text += len + 1) {
		printf(" %.*s\n", (int)len, text);
		if (text[len] == '\0')
			return;
		printf("  %-24s", "");
	}
}

static void
program_help(void)
{
	puts("usage: dslat [--url URL] [--json] COMMAND [ARGUMENT]...\n"
	     "\n"
	     "Asks dslatd for the latency of VMware datastores.\n"
	     "\n"
	     "commands (dslat COMMAND --help tells more):");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-11s %s\n", commands[i].name, commands[i].summary);
	puts("\noptions of every command:");
	for (enum cli_option o = 0; o < N_OPTS; o++)
		if (is_of_all(o))
			print_option(o, NULL);
	fputs("\nExit status: 0, 2 wrong usage, 1 else.  NO_COLOR is"
	      " respected.  See dslat(1).\n",
	      stdout);
}

void
options_help(const struct cli_command *command)
{
	if (command == NULL) {
		program_help();
		return;
	}
	printf("usage: dslat %s [OPTION]...%s%s\n\n%s%s\noptions:\n",
	       command->name, *command->args != '\0' ? " " : "", command->args,
	       command->help,
	       strstr(command->args, "DATASTORE") != NULL ||
			       strstr(command->args, "HOST") != NULL
		       ? names_text
		       : "");
	/* its own first */
	for (int of_all = false; of_all <= true; of_all++)
		for (enum cli_option o = 0; o < N_OPTS; o++)
			if (is_of_all(o) == of_all &&
			    (options[o].commands & BIT(command - commands)) !=
				    0)
				print_option(o, command);
}

/* ---- the command line --------------------------------------------------- */

static const struct cli_command *
find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* getopt_long()'s value of a long option without its letter. */
#define FIRST_LONG 256

static void
make_getopt_tables(struct option longs[N_OPTS + 1], struct buf *letters)
{
	buf_adds(letters, ":"); /* tell a missing value from a wrong option */
	for (int o = 0; o < N_OPTS; o++) {
		longs[o] = (struct option){
			.name = options[o].name,
			.has_arg = options[o].arg != NULL,
			.val = FIRST_LONG + o,
		};
		if (options[o].letter != 0)
			buf_addf(letters, "%c%s", options[o].letter,
				 options[o].arg != NULL ? ":" : "");
	}
	longs[N_OPTS] = (struct option){ .name = NULL };
}

static enum cli_option
option_of(int value)
{
	for (int o = 0; o < N_OPTS; o++)
		if (options[o].letter == value)
			return (enum cli_option)o;
	return (enum cli_option)(value - FIRST_LONG);
}

/* What getopt_long() did not like. */
static int
bad_option(int c, char **argv, struct err *e)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *what = optopt == 0 ? argv[optind - 1] : letter;

	if (optopt < FIRST_LONG)
		return err_set(e, ERR_USAGE,
			       c == ':' ? "option %s needs a value"
					: "there is no option %s",
			       what);
	return err_set(e, ERR_USAGE,
		       c == ':' ? "option --%s needs a value"
				: "option --%s takes no value",
		       options[optopt - FIRST_LONG].name);
}

static int
read_options(struct cli *c, int argc, char **argv, struct err *e)
{
	struct option longs[N_OPTS + 1];
	struct buf letters;
	int rc = 0, o;

	buf_init(&letters, 256);
	make_getopt_tables(longs, &letters);
	opterr = 0;
	while (rc == 0 &&
	       (o = getopt_long(argc, argv, buf_str(&letters), longs, NULL)) !=
		       -1)
		if (o == '?' || o == ':')
			rc = bad_option(o, argv, e);
		else
			c->opt[option_of(o)] = optarg != NULL ? optarg : "";
	buf_fini(&letters);
	return rc;
}

static int
check_options(const struct cli *c, const struct cli_command *command,
	      struct err *e)
{
	for (int o = 0; o < N_OPTS; o++)
		if (c->opt[o] != NULL &&
		    (options[o].commands & BIT(command - commands)) == 0)
			return err_set(e, ERR_USAGE, "%s has no option --%s",
				       command->name, options[o].name);
	if (c->n_names > command->max_names)
		return err_set(e, ERR_USAGE,
			       "%s: one argument too many:"
			       " \"%s\"",
			       command->name, c->names[command->max_names]);
	return 0;
}

int
options_parse(struct cli *c, int argc, char **argv,
	      const struct cli_command **command_r, struct err *e)
{
	const struct cli_command *command = NULL;

	*command_r = NULL;
	if (read_options(c, argc, argv, e) != 0)
		return -1;
	c->names = argv + optind;
	c->n_names = (size_t)(argc - optind);
	if (c->n_names > 0) {
		command = find_command(c->names[0]);
		if (command == NULL)
			return err_set(e, ERR_USAGE,
				       "there is no command"
				       " \"%s\"; dslat --help lists all",
				       c->names[0]);
		c->names++;
		c->n_names--;
	}
	*command_r = command;
	if (c->opt[OPT_HELP] != NULL || c->opt[OPT_VERSION] != NULL)
		return 0;
	if (command == NULL)
		return err_set(e, ERR_USAGE,
			       "a command is missing; dslat"
			       " --help lists all");
	return check_options(c, command, e);
}
