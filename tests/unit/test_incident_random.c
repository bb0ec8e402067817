/*
 * The life of latency incidents against a model of brute force.
 *
 * Random samples of up to four hosts come at random times, late ones too.  The
 * engine keeps masks, counters and lists as it goes; the model keeps nothing
 * but all that ever arrived and what was decided, and answers every question
 * of design section 8 by looking through the whole history again.  After each
 * slot both must say the same.
 */
#include <stdlib.h>
#include <string.h>

#include "incident_stage.h"
#include "unit.h"

#define SLOTS 300
#define HOSTS 4
#define RUNS 150
#define NEVER 1000000
#define FINAL_AFTER 9 /* turns: 9 * 20 + 5 s is over 180 s, 8 * 20 + 5 not */

struct life {
	int started, announced, ended; /* slots; -1: not */
	char reason;                   /* 'c' or 'i' */
	bool is_critical, was_critical;
	bool host[HOSTS];
	int judged, joined[HOSTS]; /* judged when the host came in */
};

struct model {
	size_t hosts;
	char letter[HOSTS][SLOTS];
	int arrives[HOSTS][SLOTS]; /* turn */
	struct threshold t;
	struct life lives[SLOTS];
	int n;
	int now;
};

/* ---- chance -------------------------------------------------------------- */

static uint64_t seed;

/* splitmix64, from 0 to n - 1. */
static int
chance(int n)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (int)((z ^ z >> 31) % (uint64_t)n);
}

/* Moods last, so that windows fill, counts complete and hosts fall idle. */
static void
invent(struct model *m)
{
	static const char *const moods[] = {
		"llllllllllm", "wwcwlcwwuS",   "lwllwlllcl",   "cccwclc",
		"..........l", "............", "............", "-l-.--l",
		"lllfsl",      "lllllllll",    "lllllllll",    "lllllllll",
	};
	int lateness = chance(3);

	for (size_t h = 0; h < m->hosts; h++) {
		const char *mood = moods[chance((int)ARRAY_SIZE(moods))];

		for (int s = 0; s < SLOTS; s++) {
			int late = chance(12) < lateness ? chance(14) : 0;

			if (chance(30) == 0)
				mood = moods[chance((int)ARRAY_SIZE(moods))];
			m->letter[h][s] = mood[chance((int)strlen(mood))];
			m->arrives[h][s] =
				m->letter[h][s] == '-' ? NEVER : s + late;
		}
	}
}

/* ---- the model ----------------------------------------------------------- */

/* What comes after its slot was final, and looked at, is history. */
static char
known(const struct model *m, size_t h, int s)
{
	if (m->arrives[h][s] > m->now || m->arrives[h][s] - s > FINAL_AFTER)
		return '-';
	return m->letter[h][s];
}

static bool
is_one_of(char c, const char *letters)
{
	return strchr(letters, c) != NULL;
}

/* A value that is not above 180 s old when it comes. */
static bool
came_in_time(const struct model *m, size_t h, int s)
{
	return m->arrives[h][s] <= m->now && m->arrives[h][s] - s < FINAL_AFTER;
}

static bool
breaches(const struct model *m, int s, const char *letters)
{
	for (size_t h = 0; s >= 0 && h < m->hosts; h++)
		if (came_in_time(m, h, s) &&
		    is_one_of(m->letter[h][s], letters))
			return true;
	return false;
}

static int
breaching(const struct model *m, int last, const char *letters)
{
	int n = 0;

	for (int s = last - m->t.window_samples + 1; s <= last; s++)
		n += breaches(m, s, letters);
	return n;
}

#define WARNING "wcSu"
#define CRITICAL "cS"

/* Slots for which something came in this turn, and in time. */
static bool
is_fresh(const struct model *m, int s)
{
	for (size_t h = 0; h < m->hosts; h++)
		if (m->arrives[h][s] == m->now && came_in_time(m, h, s))
			return true;
	return false;
}

static struct life *
open_life(struct model *m)
{
	return m->n > 0 && m->lives[m->n - 1].ended < 0 ? &m->lives[m->n - 1]
							: NULL;
}

static void
begin(struct model *m, int s, size_t h)
{
	int last_end = m->n > 0 ? m->lives[m->n - 1].ended : -1;
	struct life *l = open_life(m);

	if (l == NULL && s <= last_end)
		return;
	if (l != NULL && m->n > 1 && s <= m->lives[m->n - 2].ended)
		return;
	if (l == NULL) {
		l = &m->lives[m->n++];
		memset(l, 0, sizeof(*l));
		l->announced = l->ended = -1;
		l->started = l->judged = s;
	}
	l->started = s < l->started ? s : l->started;
	if (!l->host[h])
		l->joined[h] = l->judged;
	l->host[h] = true;
}

/* In a slot that all hosts of it had I/O in, its severity may go down. */
static bool
all_busy(const struct model *m, const struct life *l, int s)
{
	for (size_t h = 0; h < m->hosts; h++)
		if (l->host[h] && is_one_of(known(m, h, s), "-."))
			return false;
	return true;
}

static void
tell(struct model *m, int first)
{
	struct life *l = open_life(m);

	for (int s = first; l != NULL && s <= m->now; s++) {
		bool c = breaching(m, s, CRITICAL) >= m->t.for_samples;

		if (s < l->started)
			continue;
		if (l->announced < 0 &&
		    breaching(m, s, WARNING) >= m->t.for_samples) {
			l->announced = s;
			l->is_critical = c;
		} else if (l->announced >= 0 && c) {
			l->is_critical = true;
		} else if (l->announced >= 0 && all_busy(m, l, s)) {
			l->is_critical = false;
		}
		l->was_critical |= l->is_critical;
	}
}

/* Up to here every slot is complete or old, from the first with data on. */
static int
final_of(const struct model *m, size_t h)
{
	int s = 0;

	while (s <= m->now && known(m, h, s) == '-')
		s++;
	if (s > m->now)
		return -2;    /* no data yet */
	while (s <= m->now && /* a rate that is missing may still come */
	       (!is_one_of(known(m, h, s), "-u") || m->now - s >= FINAL_AFTER))
		s++;
	return s - 1;
}

/* Idle slots in a row up to s, gaps aside, since the host came in. */
static int
idle_slots(const struct model *m, const struct life *l, size_t h, int s)
{
	int n = 0;

	for (; s > l->joined[h] && is_one_of(known(m, h, s), "-."); s--)
		n += known(m, h, s) == '.';
	return n < 45 ? n : 45;
}

/* 'h'igh, 'l'ow, 'i'dle for long, or '-': holds. */
static char
verdict(const struct model *m, const struct life *l, int s)
{
	bool holds = false, low = false;

	for (size_t h = 0; h < m->hosts; h++) {
		char c = known(m, h, s);

		if (!l->host[h])
			continue;
		if (is_one_of(c, WARNING "m"))
			return 'h';
		if (c == 'l')
			low = true;
		else if (c != '.' || idle_slots(m, l, h, s) < 45)
			holds = true;
	}
	if (holds)
		return '-';
	if (low)
		return 'l';
	return 'i';
}

/* Low slots since the last high one. */
static int
low_slots(const struct life *l, int s, const char *verdicts)
{
	int n = 0;

	for (; s > l->started && verdicts[s] != 'h'; s--)
		n += verdicts[s] == 'l';
	return n;
}

static bool
breaches_behind(const struct model *m, int s)
{
	while (++s <= m->now)
		if (breaches(m, s, WARNING))
			return true;
	return false;
}

/* What was said of a slot when it became final stays said. */
static char said[SLOTS];

static void
judge(struct model *m)
{
	struct life *l = open_life(m);
	int last = NEVER;

	for (size_t h = 0; l != NULL && h < m->hosts; h++)
		if (l->host[h] && final_of(m, h) < last)
			last = final_of(m, h);
	for (int s = l != NULL ? l->judged + 1 : 0; l != NULL && s <= last;
	     s++) {
		l->judged = s;
		said[s] = verdict(m, l, s);
		if (breaches_behind(m, s) || is_one_of(said[s], "h-"))
			continue;
		if (said[s] == 'l' &&
		    low_slots(l, s, said) < m->t.clear_samples)
			continue;
		l->ended = s;
		l->reason = said[s] == 'i' ? 'i' : 'c';
		return;
	}
}

static void
turn(struct model *m)
{
	int first = -1;

	for (int s = 0; s <= m->now; s++) {
		if (!is_fresh(m, s))
			continue;
		first = first < 0 ? s : first;
		for (size_t h = 0; h < m->hosts; h++)
			if (m->arrives[h][s] == m->now &&
			    came_in_time(m, h, s) &&
			    is_one_of(m->letter[h][s], WARNING))
				begin(m, s, h);
	}
	if (first >= 0)
		tell(m, first);
	judge(m);
}

/* ---- both ---------------------------------------------------------------- */

static void
deliver(struct stage *s, const struct model *m)
{
	for (size_t h = 0; h < m->hosts; h++) {
		for (int slot = 0; slot <= m->now; slot++) {
			if (m->arrives[h][slot] != m->now)
				continue;
			stage_put(s, h, 0, STAGE_BASE + slot, OP_READ,
				  stage_letter(m->letter[h][slot]));
			stage_put(s, h, 0, STAGE_BASE + slot, OP_WRITE,
				  stage_letter('.'));
		}
	}
}

static int
slot_or_none(real_t t)
{
	return t.us == 0 ? -1 : (int)(slot_of(t) - STAGE_BASE);
}

/* The n-th latency incident by its start. */
static const struct incident *
nth(const struct stage *s, int n)
{
	const struct incident *in;

	for (size_t i = incidents_count(s->i); i-- > 0;) {
		in = incidents_at(s->i, i);
		if (in->kind == INCIDENT_SLOW && n-- == 0)
			return in;
	}
	return NULL;
}

static int run;

static void
same(const struct model *m, const char *what, int engine, int model)
{
	if (engine != model)
		fail_msg("run %d, slot %d: %s is %d, the model says %d", run,
			 m->now, what, engine, model);
}

static void
compare(const struct stage *s, const struct model *m)
{
	same(m, "one more", nth(s, m->n) != NULL, 0);
	for (int i = 0; i < m->n; i++) {
		const struct life *l = &m->lives[i];
		const struct incident *in = nth(s, i);
		int n = 0;

		same(m, "one less", in == NULL, 0);
		for (size_t h = 0; h < m->hosts; h++)
			n += l->host[h];
		same(m, "started", slot_or_none(in->started), l->started);
		same(m, "announced", slot_or_none(in->announced), l->announced);
		same(m, "ended", slot_or_none(in->ended), l->ended);
		same(m, "severity", in->severity == SEVERITY_CRITICAL,
		     l->is_critical);
		same(m, "worst_severity",
		     in->worst_severity == SEVERITY_CRITICAL, l->was_critical);
		same(m, "n_hosts", (int)in->n_hosts, n);
		if (l->ended >= 0)
			same(m, "reason", in->end_reason[0], l->reason);
	}
}

static struct {
	int lives, told, cleared, idle, critical, downs;
} seen;

static void
count(const struct model *m)
{
	for (int i = 0; i < m->n; i++) {
		const struct life *l = &m->lives[i];

		seen.lives++;
		seen.told += l->announced >= 0;
		seen.cleared += l->ended >= 0 && l->reason == 'c';
		seen.idle += l->ended >= 0 && l->reason == 'i';
		seen.critical += l->was_critical;
		seen.downs += l->was_critical && !l->is_critical;
	}
}

static void
set_rules(struct stage *s, struct model *m)
{
	int64_t *v = s->rules.fallback.v;

	v[THRESHOLD_WINDOW_SAMPLES] = 1 + chance(15);
	v[THRESHOLD_FOR_SAMPLES] = 1 + chance((int)v[THRESHOLD_WINDOW_SAMPLES]);
	v[THRESHOLD_CLEAR_SAMPLES] = 1 + chance(20);
	site_set_rules(s->site, &s->rules);
	m->t = s->ds[0]->threshold;
}

static void
test_random(void **state unused)
{
	for (run = 0; run < RUNS; run++) {
		struct model m = { .hosts = 1 + (size_t)run % HOSTS };
		struct stage s;
		bool restarts;

		seed = (uint64_t)run;
		stage_setup(&s, m.hosts, 1);
		set_rules(&s, &m);
		invent(&m);
		restarts = chance(3) == 0;
		memset(said, 0, sizeof(said));
		for (m.now = 0; m.now < SLOTS; m.now++) {
			stage_next(&s);
			deliver(&s, &m);
			stage_poll(&s);
			turn(&m);
			compare(&s, &m);
			if (restarts && chance(7) == 0)
				stage_restart(&s);
		}
		count(&m);
		stage_teardown(&s);
	}
	print_message(
		"%d incidents, %d told, %d cleared, %d idle, %d "
		"critical, %d no longer\n",
		seen.lives, seen.told, seen.cleared, seen.idle, seen.critical,
		seen.downs);
	/* Chance must have come everywhere. */
	assert_true(seen.lives > 200 && seen.told > 100 &&
		    seen.told < seen.lives);
	assert_true(seen.cleared > 100 && seen.idle > 10);
	assert_true(seen.critical > 50 && seen.downs > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
