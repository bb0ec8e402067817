/*
 * dslat notify test NAME: does a message get through?
 */
#include <string.h>

#include "cli.h"

int
cmd_notify(struct cli *c)
{
	struct buf path;
	struct err e;
	json_t *v;

	if (c->n_names == 0 || strcmp(c->names[0], "test") != 0)
		return cli_usage(c, "notify: write \"dslat notify test NAME\"");
	if (c->n_names < 2)
		return cli_usage(c,
				 "notify test: which notifier?  "
				 "dslatd.yaml names them under notify:");
	buf_init(&path, 4096);
	buf_adds(&path, "/api/v1/notifiers");
	api_add_segment(&path, c->names[1]);
	buf_adds(&path, "/test");
	v = api_write(c->api, "POST", buf_str(&path), NULL, &e);
	buf_fini(&path);
	if (v == NULL)
		return cli_fail(c, &e);
	if (c->opt[OPT_JSON] != NULL)
		return cli_print_json(v);
	cli_say(c, stdout, "%s took the test message", c->names[1]);
	json_decref(v);
	return CLI_OK;
}
