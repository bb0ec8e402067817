/*
 * stage.h - dslatd's loop, collector and model against the simulated vSphere,
 * in virtual time.
 *
 * The simulator is a process of its own with a clock that stands still; the
 * stage moves both clocks together, 20 s a step, so that an hour of polls
 * takes seconds.  What the rings hold is compared with the simulator's oracle,
 * which reckons every value from the scene.  Failures are cmocka's.
 */
#ifndef DSLAT_STAGE_H
#define DSLAT_STAGE_H

#include <sys/types.h>

#include "dslat/targets.h"

#define STAGE_START "2026-03-02T10:00:10Z"
#define STAGE_MAX_TARGETS 3

struct sim {
	pid_t pid;
	char *url; /* "http://127.0.0.1:40123/sdk" */
};

struct stage {
	struct sim sims[STAGE_MAX_TARGETS];
	size_t n_sims;
	struct loop *loop;
	struct site *site;
	struct targets *targets;
	struct target *target; /* the first */
	struct now now;
	int64_t started_us; /* the virtual time at the start */
};

/* Text of a scene, written to a file and played.  Add all, then open. */
void stage_add(struct stage *s, const char *scene);
/* username and password are the scene's; interval_s 0 is auto. */
void stage_open(struct stage *s, const char *username, const char *password,
		int interval_s);
/* As SIGHUP would. */
void stage_reload(struct stage *s, const char *username, int interval_s);
void stage_close(struct stage *s);

/* Control of the first simulator: "fault?name=x", "set?host=..."; also
 * answers of "stats". */
void stage_tell(struct stage *s, const char *what);
int64_t stage_stat(struct stage *s, const char *name);
/* What a GET of the control says: "oracle?luns=true&..."; owned. */
char *stage_ask(struct stage *s, const char *what) must_check;

/* Turns until nothing is in flight. */
void stage_settle(struct stage *s);
/* Both clocks n times 20 s on, settling each time. */
void stage_steps(struct stage *s, int n);
/* Ours alone does not exist; the simulators' offset is set with stage_tell. */

/*
 * Compare every pair and slot that ended within the `seconds` before
 * `ago_s` seconds ago (server time) with the oracle.  Returns how many cells
 * differ; *n_r how many values were there to compare.
 */
size_t stage_compare(struct stage *s, int ago_s, int seconds, size_t *n_r);

/* By name; asserts that it is there. */
struct datastore *stage_datastore(struct stage *s, const char *name);
struct host *stage_host(struct stage *s, const char *name);

/* Everything logged since the start; to look for words. */
bool stage_logged(const char *word);

#endif
