/*
 * options.h - the tables of commands and options, and what --help makes of
 * them.
 */
#ifndef DSLAT_OPTIONS_H
#define DSLAT_OPTIONS_H

#include "cli.h"

/* Fills c->opt and c->names from the arguments; *command_r is NULL for
 * --help and --version without a command.  -1: usage, *e says what. */
int options_parse(struct cli *c, int argc, char **argv,
		  const struct cli_command **command_r, struct err *e)
	must_check;
/* To standard output; command NULL: of the program. */
void options_help(const struct cli_command *command);

#endif
