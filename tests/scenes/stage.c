#include "stage.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "dslat/log.h"
#include "dslat/mem.h"

#define TIMEOUT_US (60 * US_PER_S) /* of real time: something hangs */

static struct buf logged;

static void
on_log(void *arg unused, enum log_level level unused, const char *subsystem,
       const char *text)
{
	buf_addf(&logged, "%s: %s\n", subsystem, text);
	if (getenv("STAGE_VERBOSE") != NULL)
		fprintf(stderr, "  %s: %s\n", subsystem, text);
}

bool
stage_logged(const char *word)
{
	return strstr(buf_str(&logged), word) != NULL;
}

/* ---- the simulators ---- */

static const char *
program(void)
{
	const char *dir = getenv("top_builddir");
	static char path[4096];

	snprintf(path, sizeof(path), "%s/tests/sim/dslat-sim",
		 dir != NULL ? dir : ".");
	return path;
}

static void
play(const char *scene_file, int out)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	execl(program(), "dslat-sim", "--clock", "manual", "--start",
	      STAGE_START, scene_file, (char *)NULL);
	_exit(127);
}

void
stage_add(struct stage *s, const char *scene)
{
	static const char before[] = "dslat-sim: listening on ";
	char path[] = "/tmp/dslat-scene-XXXXXX";
	struct sim *sim = &s->sims[s->n_sims++];
	char line[256] = "";
	int fds[2], fd = mkstemp(path);
	FILE *f;

	assert_true(s->n_sims <= STAGE_MAX_TARGETS && fd >= 0);
	assert_int_equal(write(fd, scene, strlen(scene)),
			 (ssize_t)strlen(scene));
	close(fd);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	sim->pid = fork();
	assert_true(sim->pid >= 0);
	if (sim->pid == 0)
		play(path, fds[1]);
	close(fds[1]);
	f = fdopen(fds[0], "r");
	assert_non_null(f);
	if (fgets(line, sizeof(line), f) == NULL ||
	    strncmp(line, before, sizeof(before) - 1) != 0)
		fail_msg("%s does not start: %s", program(), line);
	fclose(f);
	unlink(path);
	line[strcspn(line, "\n")] = '\0';
	sim->url = xstrdup(line + sizeof(before) - 1);
}

static size_t
collect(char *data, size_t size, size_t n, void *arg)
{
	return buf_add(arg, data, size * n) == 0 ? size * n : 0;
}

static char *
control(const struct sim *sim, const char *method, const char *what)
{
	char *url = xasprintf("%.*s/sim/%s",
			      (int)(strlen(sim->url) - strlen("/sdk")),
			      sim->url, what);
	CURL *easy = curl_easy_init();
	struct buf answer;
	long status = 0;

	buf_init(&answer, 64 << 20);
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	if (strcmp(method, "POST") == 0)
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer);
	assert_int_equal(curl_easy_perform(easy), CURLE_OK);
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		fail_msg("%s: %ld %s", url, status, buf_str(&answer));
	curl_easy_cleanup(easy);
	free(url);
	return buf_take(&answer);
}

void
stage_tell(struct stage *s, const char *what)
{
	free(control(&s->sims[0], "POST", what));
}

char *
stage_ask(struct stage *s, const char *what)
{
	return control(&s->sims[0], "GET", what);
}

int64_t
stage_stat(struct stage *s, const char *name)
{
	char *text = control(&s->sims[0], "GET", "stats");
	json_t *stats = json_loads(text, 0, NULL);
	const json_t *v = json_object_get(stats, name);
	int64_t n;

	if (v == NULL)
		v = json_object_get(json_object_get(stats, "calls"), name);
	n = json_integer_value(v); /* never called: 0 */
	json_decref(stats);
	free(text);
	return n;
}

/* ---- the daemon's parts ---- */

static struct now
tick(void *arg)
{
	struct stage *s = arg;

	s->now.mono.us++; /* what a timer arms is due a little later */
	s->now.real.us++;
	s->site->now = s->now;
	return s->now;
}

static struct conf *
make_conf(const struct stage *s, const char *username, int interval_s)
{
	struct buf text, problems;
	struct conf *c;
	struct err e;

	buf_init(&text, 1 << 16);
	buf_init(&problems, 1 << 16);
	buf_adds(&text, "targets:\n");
	for (size_t i = 0; i < s->n_sims; i++) {
		buf_addf(&text,
			 "  - name: t%zu\n    url: %s\n    username: '%s'\n"
			 "    password_env: STAGE_PASSWORD\n",
			 i, s->sims[i].url, username);
		if (interval_s != 0)
			buf_addf(&text, "    poll_interval_s: %d\n",
				 interval_s);
	}
	c = conf_parse(buf_str(&text), text.len, "stage", &problems, &e);
	if (c == NULL)
		fail_msg("%s", buf_str(&problems));
	buf_fini(&problems);
	buf_fini(&text);
	return c;
}

void
stage_open(struct stage *s, const char *username, const char *password,
	   int interval_s)
{
	struct err e;

	setenv("STAGE_PASSWORD", password, 1);
	buf_init(&logged, 16 << 20);
	log_set_sink(on_log, NULL);
	log_set_level(LOG_LVL_DEBUG);
	s->now = clock_sample();
	assert_int_equal(
		real_parse(STAGE_START, strlen(STAGE_START), &s->now.real), 0);
	s->started_us = s->now.real.us;
	s->loop = loop_new(&e);
	assert_non_null(s->loop);
	s->site = site_new(s->now);
	loop_set_clock(s->loop, tick, s);
	s->targets = targets_new(s->loop, s->site, &vsphere_collector);
	targets_apply(s->targets, make_conf(s, username, interval_s));
	s->target = site_find_target(s->site, "t0");
	assert_non_null(s->target);
	stage_settle(s);
}

void
stage_reload(struct stage *s, const char *username, int interval_s)
{
	targets_apply(s->targets, make_conf(s, username, interval_s));
}

static void
on_stopped(void *arg)
{
	*(bool *)arg = true;
}

void
stage_close(struct stage *s)
{
	mono_t until = mono_add_us(clock_sample().mono, 10 * US_PER_S);
	bool stopped = false;

	targets_stop(s->targets, on_stopped, &stopped);
	while (!stopped && mono_diff_us(until, clock_sample().mono) > 0)
		loop_turn(s->loop, 20);
	assert_true(stopped);
	targets_free(&s->targets);
	site_free(&s->site);
	loop_free(&s->loop);
	for (size_t i = 0; i < s->n_sims; i++) {
		kill(s->sims[i].pid, SIGTERM);
		while (waitpid(s->sims[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		free(s->sims[i].url);
	}
	log_set_sink(NULL, NULL);
	buf_fini(&logged);
	memset(s, 0, sizeof(*s));
}

void
stage_settle(struct stage *s)
{
	mono_t start = clock_sample().mono;
	int quiet = 0;

	while (quiet < 3) {
		loop_turn(s->loop, 2);
		quiet = loop_stats(s->loop).transfers == 0 ? quiet + 1 : 0;
		if (mono_diff_us(clock_sample().mono, start) > TIMEOUT_US)
			fail_msg("nothing has come for a minute");
	}
}

void
stage_steps(struct stage *s, int n)
{
	for (int i = 0; i < n; i++) {
		for (size_t k = 0; k < s->n_sims; k++)
			free(control(&s->sims[k], "POST",
				     "clock?advance_s=20"));
		s->now.mono.us += SLOT_US;
		s->now.real.us += SLOT_US;
		stage_settle(s);
	}
}

struct datastore *
stage_datastore(struct stage *s, const char *name)
{
	void *v;

	for (size_t i = 0; map_next(s->target->datastores, &i, NULL, &v);) {
		struct datastore *ds = v;

		if (!ds->gone && strcmp(ds->name, name) == 0)
			return ds;
	}
	fail_msg("there is no datastore %s", name);
	return NULL;
}

struct host *
stage_host(struct stage *s, const char *name)
{
	void *v;

	for (size_t i = 0; map_next(s->target->hosts, &i, NULL, &v);) {
		struct host *h = v;

		if (!h->gone && strcmp(h->name, name) == 0)
			return h;
	}
	fail_msg("there is no host %s", name);
	return NULL;
}

/* ---- the oracle ---- */

static const struct pair *
find_pair(struct stage *s, const char *host, const char *uuid)
{
	const struct datastore *ds = target_find_datastore(s->target, uuid);

	for (size_t i = 0; ds != NULL && i < ds->n_pairs; i++)
		if (strcmp(ds->pairs[i]->host->name, host) == 0)
			return ds->pairs[i];
	return NULL;
}

static int32_t
cell_value(int64_t wire, unsigned field)
{
	if (wire < 0)
		return SAMPLE_NONE;
	if (field < FIELD_IOS)
		return (int32_t)(wire * 1000);
	return (int32_t)(field < FIELD_KIB_PER_S ? wire * SLOT_S : wire);
}

/* One row: "host,uuid,2026-...Z,1,2,3,4,5,6".  Adds to the counts. */
static void
compare_row(struct stage *s, char *row, size_t *differ, size_t *n)
{
	char *f[3 + N_FIELDS] = { row };
	const struct pair *p;
	const struct cell *c = NULL;
	real_t t;

	for (size_t i = 1; i < ARRAY_SIZE(f); i++) {
		f[i] = strchr(f[i - 1], ',');
		assert_non_null(f[i]);
		*f[i]++ = '\0';
	}
	assert_int_equal(real_parse(f[2], strlen(f[2]), &t), 0);
	p = find_pair(s, f[0], f[1]);
	if (p != NULL && p->ring != NULL)
		c = ring_get(p->ring, slot_of(t) + p->host->shift_slots);
	for (unsigned i = 0; i < N_FIELDS; i++) {
		int32_t want = cell_value(strtoll(f[3 + i], NULL, 10), i);
		int32_t got = c != NULL ? c->v[i] : SAMPLE_NONE;

		*n += want >= 0;
		if (got == want)
			continue;
		if (++*differ <= 3)
			print_message("%s %s %s field %u: %d, wanted %d\n",
				      f[0], f[1], f[2], i, got, want);
	}
}

size_t
stage_compare(struct stage *s, int ago_s, int seconds, size_t *n_r)
{
	real_t to = real_add_us(target_now(s->target), -ago_s * US_PER_S);
	real_t from = real_add_us(to, -seconds * US_PER_S);
	char a[REAL_TEXT_SIZE], b[REAL_TEXT_SIZE], *text, *next;
	size_t differ = 0;
	char *what = xasprintf("oracle?from=%s&to=%s", real_format(from, a),
			       real_format(to, b));

	text = control(&s->sims[0], "GET", what);
	*n_r = 0;
	next = strchr(text, '\n'); /* behind the header */
	while (next != NULL && next[1] != '\0') {
		char *row = next + 1;

		next = strchr(row, '\n');
		if (next != NULL)
			*next = '\0';
		compare_row(s, row, &differ, n_r);
	}
	free(text);
	free(what);
	return differ;
}
