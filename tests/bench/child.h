/*
 * child.h - the processes around the measured one, so that their time and
 * memory are not its own: the simulated vCenter, and clients of the pages.
 *
 * All end with the bench, however it ends.  Failures of the set-up end it with
 * a message: a bench has nobody to report to.
 */
#ifndef DSLAT_CHILD_H
#define DSLAT_CHILD_H

#include <sys/types.h>

#include "dslat/base.h"

/* Print and exit. */
void die(const char *fmt, ...) printf_like(1, 2) __attribute__((noreturn));

struct sim {
	pid_t pid;
	char *url; /* "http://127.0.0.1:40123/sdk" */
};

#define SIM_USER "monitor@vsphere.local"
#define SIM_PASSWORD "secret"
#define SIM_START "2026-03-02T10:00:10Z"

/* program: dslat-sim, with a clock that stands still at SIM_START. */
void sim_start(struct sim *s, const char *program, unsigned n_hosts,
	       unsigned n_datastores);
void sim_stop(struct sim *s);
/* One request of its control interface, "POST", "/sim/clock?advance_s=20";
 * returns the body, yours to free. */
char *sim_control(const struct sim *s, const char *method, const char *path)
	must_check;
/* A number of its statistics: "answer_bytes", or a SOAP method's calls. */
int64_t sim_stat(const struct sim *s, const char *name);

/* A GET by another process: this program, started with CLIENT_OPTION and the
 * arguments of client_start(). */
#define CLIENT_OPTION "--client"
int client_main(char **args);
extern const char *client_program; /* where this program is: argv[0] */

struct client {
	pid_t pid;
	int fd;         /* a byte for each mark */
	size_t n_marks; /* that client_read() has seen */
	bool ended;
};

/* base: "http://127.0.0.1:9969/".  Marks are the status 200, each place where
 * the answer contains the text, and the end; other answers have none. */
void client_start(struct client *c, const char *base, const char *path,
		  const char *text);
/* Look without waiting; returns n_marks. */
size_t client_read(struct client *c);
void client_stop(struct client *c);

#endif
