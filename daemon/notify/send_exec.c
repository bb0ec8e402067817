#include <stdlib.h>

#include "dslat/child.h"
#include "dslat/mem.h"
#include "render.h"
#include "send.h"

#define INPUT_MAX_BYTES ((size_t)64 << 20)

struct exec {
	struct attempt *attempt;
	struct child *child;
};

static void
on_done(void *arg, const struct err *e)
{
	struct exec *x = arg;
	const struct send_result r = { .err = *e };

	x->child = NULL;
	attempt_finish(x->attempt, &r);
}

static void
stop(void *state)
{
	struct exec *x = state;

	child_cancel(&x->child);
	free(x);
}

static char **
arguments(const struct conf_notify *c, const struct message *m)
{
	size_t n = 0;
	char **argv;

	while (c->command[n] != NULL)
		n++;
	argv = xcalloc(n + 1, sizeof(*argv));
	for (size_t i = 0; i < n; i++)
		argv[i] = i == 0 ? xstrdup(c->command[i])
				 : exec_argument(m, c->command[i]);
	return argv;
}

static void *
start(struct attempt *a, const struct message *m, struct err *e)
{
	const struct conf_notify *c = attempt_conf(a);
	struct exec *x = xcalloc(1, sizeof(*x));
	char **argv = arguments(c, m);
	struct message news = *m;
	struct buf input;
	json_t *v;

	news.n = news.n_changed; /* a command is told what is new */
	v = webhook_json(&news);
	buf_init(&input, INPUT_MAX_BYTES);
	json_append(&input, v);
	json_decref(v);
	buf_addc(&input, '\n');
	x->attempt = a;
	if (input.full)
		err_set(e, ERR_LIMIT, "the message is larger than %zu MiB",
			INPUT_MAX_BYTES >> 20);
	else
		x->child = child_start(
			attempt_loop(a),
			&(struct child_spec){
				.argv = argv,
				.input = buf_str(&input),
				.input_len = input.len,
				.timeout_us = c->timeout_s * US_PER_S,
			},
			on_done, x, e);
	buf_fini(&input);
	for (size_t i = 0; argv[i] != NULL; i++)
		free(argv[i]);
	free(argv);
	if (x->child != NULL)
		return x;
	free(x);
	return NULL;
}

const struct send_type send_exec = { .start = start, .stop = stop };
