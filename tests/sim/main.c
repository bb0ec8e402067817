/*
 * dslat-sim - a simulated vSphere for tests and the demo.  See README.md.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

#include "dslat/mem.h"
#include "http.h"
#include "oracle.h"
#include "schema.h"
#include "tls.h"

struct options {
	const char *scene;
	const char *address, *cert_file, *key_file;
	const char *start, *from, *to;
	int port;
	size_t n_hosts, n_dss;
	double speed;
	bool tls, manual, oracle;
};

static const char usage[] =
	"usage: dslat-sim [OPTION]... SCENE\n"
	"       dslat-sim [OPTION]... --hosts N --datastores M\n"
	"       dslat-sim --oracle --start T --from T --to T SCENE\n"
	"  --port N          listen here (default 0: the kernel picks)\n"
	"  --address A       127.0.0.1 (default) or ::1\n"
	"  --tls             HTTPS with a certificate made at start\n"
	"  --cert F --key F  HTTPS with these\n"
	"  --clock real|manual   (manual: POST /sim/clock?advance_s=20)\n"
	"  --start T         what the clock says at start (RFC 3339)\n"
	"  --speed X         simulated seconds in a real one\n";

static int
parse_double(const char *s, double *out)
{
	char *end;

	*out = strtod(s, &end);
	return *s != '\0' && *end == '\0' && *out > 0 ? 0 : -1;
}

static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "address", required_argument, NULL, 'a' },
		{ "tls", no_argument, NULL, 't' },
		{ "cert", required_argument, NULL, 'c' },
		{ "key", required_argument, NULL, 'k' },
		{ "clock", required_argument, NULL, 'C' },
		{ "start", required_argument, NULL, 's' },
		{ "speed", required_argument, NULL, 'x' },
		{ "hosts", required_argument, NULL, 'H' },
		{ "datastores", required_argument, NULL, 'D' },
		{ "oracle", no_argument, NULL, 'o' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 'T' },
		{ NULL, 0, NULL, 0 },
	};
	int ch;

	while ((ch = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (ch) {
		case 'p':
			o->port = (int)strtol(optarg, NULL, 10);
			break;
		case 'a':
			o->address = optarg;
			break;
		case 't':
			o->tls = true;
			break;
		case 'c':
			o->cert_file = optarg;
			break;
		case 'k':
			o->key_file = optarg;
			break;
		case 'C':
			o->manual = strcmp(optarg, "manual") == 0;
			if (!o->manual && strcmp(optarg, "real") != 0)
				return -1;
			break;
		case 's':
			o->start = optarg;
			break;
		case 'x':
			if (parse_double(optarg, &o->speed) != 0)
				return -1;
			break;
		case 'H':
			o->n_hosts = strtoul(optarg, NULL, 10);
			break;
		case 'D':
			o->n_dss = strtoul(optarg, NULL, 10);
			break;
		case 'o':
			o->oracle = true;
			break;
		case 'f':
			o->from = optarg;
			break;
		case 'T':
			o->to = optarg;
			break;
		default:
			return -1;
		}
	o->scene = optind < argc ? argv[optind] : NULL;
	if (argc - optind > 1 ||
	    (o->scene == NULL) == (o->n_hosts == 0 && o->n_dss == 0))
		return -1;
	return (o->cert_file == NULL) == (o->key_file == NULL) ? 0 : -1;
}

static int
parse_time(const char *text, real_t *t_r, struct err *e)
{
	*t_r = (real_t){ 0 };
	if (text == NULL || real_parse(text, strlen(text), t_r) == 0)
		return 0;
	return err_set(e, ERR_USAGE, "\"%s\" is no RFC 3339 time", text);
}

static int
sim_init(struct sim *s, const struct options *o, struct err *e)
{
	pthread_condattr_t attr;
	real_t start;

	*s = (struct sim){ 0 };
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&s->lock, NULL);
	xmlInitParser();
	schema_init();
	stats_init(&s->stats);
	if (parse_time(o->start, &start, e) != 0)
		return -1;
	if (o->scene != NULL
		    ? scene_load(&s->scene, o->scene, e) != 0
		    : scene_generate(&s->scene, o->n_hosts, o->n_dss, e) != 0)
		return -1;
	for (size_t i = 0; i < s->scene.n_faults; i++) {
		const struct scene_fault *f = &s->scene.faults[i];

		if (faults_set(&s->faults, f->name, f->arg, f->method, f->count,
			       e) != 0)
			return -1;
	}
	simclock_init(&s->clock, o->manual, o->speed, start);
	s->model.scene = &s->scene;
	s->model.start = simclock_now(&s->clock);
	s->clock.offset_us = s->scene.server.clock_offset_s * US_PER_S;
	return 0;
}

static void
sim_fini(struct sim *s)
{
	inventory_fini(&s->inv);
	sessions_fini(&s->sessions);
	faults_fini(&s->faults);
	stats_fini(&s->stats);
	scene_fini(&s->scene);
	schema_fini();
	xmlCleanupParser();
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
}

static int
print_oracle(struct sim *s, const struct options *o, struct err *e)
{
	real_t from, to;
	struct buf out;

	if (o->from == NULL || o->to == NULL)
		return err_set(e, ERR_USAGE, "--oracle wants --from and --to");
	if (parse_time(o->from, &from, e) != 0 ||
	    parse_time(o->to, &to, e) != 0)
		return -1;
	buf_init(&out, (size_t)1 << 31);
	oracle_csv(&s->model, from, to, &out);
	fwrite(buf_str(&out), 1, out.len, stdout);
	buf_fini(&out);
	return 0;
}

static int
serve(struct sim *s, const struct options *o, struct err *e)
{
	struct http_options ho = { .address = o->address, .port = o->port };
	struct http *h;
	sigset_t set;
	int sig = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	s->tls = o->tls || o->cert_file != NULL;
	if (s->tls &&
	    tls_load(o->cert_file, o->key_file, &ho.cert, &ho.key, e) != 0)
		return -1;
	h = http_start(s, &ho, e);
	if (h != NULL) {
		bool six = strchr(o->address, ':') != NULL;

		printf("dslat-sim: listening on %s://%s%s%s:%d/sdk\n",
		       s->tls ? "https" : "http", six ? "[" : "", o->address,
		       six ? "]" : "", http_port(h));
		fflush(stdout);
		sigwait(&set, &sig);
		http_stop(&h);
	}
	free(ho.cert);
	free(ho.key);
	return sig != 0 ? 0 : -1;
}

int
main(int argc, char **argv)
{
	struct options o = { .address = "127.0.0.1", .speed = 1 };
	struct sim s;
	struct err e = { 0 };
	int rc;

	if (parse_options(argc, argv, &o) != 0) {
		fputs(usage, stderr);
		return 2;
	}
	rc = sim_init(&s, &o, &e);
	if (rc == 0)
		rc = o.oracle ? print_oracle(&s, &o, &e) : serve(&s, &o, &e);
	if (rc != 0)
		fprintf(stderr, "dslat-sim: %s\n", e.text);
	sim_fini(&s);
	return rc == 0 ? 0 : 1;
}
