/*
 * dslat token new NAME: a token, and the line for dslatd's tokens file.
 */
#include <string.h>

#include "cli.h"
#include "dslat/mem.h"
#include "dslat/tokens.h"

static int
print_new(const struct cli *c, const char *name, enum token_role role)
{
	const char *file = c->opt[OPT_FILE];
	char token[TOKEN_SIZE];
	int status = CLI_OK;
	struct buf line;
	struct err e;

	buf_init(&line, 1024);
	token_make(token);
	token_line(&line, name, role, token);
	if (file != NULL && tokens_append(file, name, buf_str(&line), &e) != 0)
		status = cli_fail(c, &e);
	else if (file != NULL)
		puts(token);
	else
		printf("The token, to keep where it is used (a file of mode "
		       "600):\n\n%s\n\n"
		       "The line to add to dslatd's tokens file:\n\n%s",
		       token, buf_str(&line));
	mem_wipe(token, sizeof(token));
	buf_fini(&line);
	return status;
}

int
cmd_token(struct cli *c)
{
	const char *role_name = c->opt[OPT_ROLE];
	enum token_role role = TOKEN_READ;
	const char *fault;

	if (c->n_names == 0 || strcmp(c->names[0], "new") != 0)
		return cli_usage(c, "token: write \"dslat token new NAME\"");
	if (c->n_names < 2)
		return cli_usage(c,
				 "token new: what is it to be called?  The "
				 "name says later who wrote");
	fault = token_name_fault(c->names[1]);
	if (*fault != '\0')
		return cli_usage(c, "token new: %s", fault);
	if (role_name != NULL && token_role_parse(role_name, &role) != 0)
		return cli_usage(c, "--role is read or write");
	return print_new(c, c->names[1], role);
}
