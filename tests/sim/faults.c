#include "faults.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

static const struct {
	const char *name, *help;
} rows[] = {
	/* the transport */
	{ "http-404", "404 with an HTML body" },
	{ "http-502", "502 with an HTML body" },
	{ "http-503", "503 with an HTML body" },
	{ "http-504", "504 with an HTML body" },
	{ "html-200", "200 with an HTML body" },
	{ "empty-200", "200 with no body" },
	{ "redirect", "302 to arg (default http://127.0.0.1:9/sdk)" },
	{ "delay", "the answer waits arg milliseconds" },
	{ "blackhole", "the request is read and never answered" },
	{ "drip", "the body comes arg bytes a second (default 16)" },
	{ "truncate", "well-framed body, cut after arg bytes (default half)" },
	{ "close", "connection closed after arg bytes of body" },
	{ "endless", "the body never ends" },
	{ "huge", "arg MiB (default 256) of padding in the body" },
	{ "gzip-bomb", "a gzip body that unpacks to arg (1024) MiB" },
	/* the XML */
	{ "dtd", "a DOCTYPE in front of the envelope" },
	{ "entity-bomb", "a DOCTYPE with nested entities, used in the body" },
	{ "wrong-namespace", "another SOAP envelope namespace" },
	{ "deep-nesting", "arg (default 100000) elements inside each other" },
	{ "type-prefix", "a generated prefix bound to the XSI namespace" },
	{ "bad-utf8", "bytes that are not UTF-8 in the body" },
	/* the session */
	{ "not-authenticated-500",
	  "the session ends: NotAuthenticated, a fault" },
	{ "not-authenticated-200", "the session ends: in a missingSet" },
	{ "kill-sessions", "all sessions forgotten before the call" },
	{ "kill-between-pages", "all sessions forgotten after page 1" },
	{ "invalid-login", "InvalidLogin whatever the password" },
	{ "no-permission-login", "NoPermission at Login (lockdown)" },
	{ "soap-fault", "a RuntimeFault of type arg" },
	{ "method-not-found", "MethodNotFound for the bound method" },
	/* properties */
	{ "invalid-property", "InvalidProperty for path arg" },
	{ "no-permission", "missingSet NoPermission for path arg" },
	{ "property-missing", "path arg is never there" },
	{ "bad-token", "every continuation token is unknown" },
	{ "empty-inventory", "views and traversals find nothing" },
	/* performance */
	{ "perf-disconnect", "host arg disconnects as QueryPerf comes in" },
	{ "perf-gone", "ManagedObjectNotFound for host arg" },
	{ "perf-invalid", "InvalidArgument for host arg" },
	{ "perf-disk",
	  "InvalidArgument when disk.* is asked of host arg (without: any)" },
	{ "perf-empty", "QueryPerfResponse with nothing in it" },
	{ "perf-bare", "returnval with entity only" },
	{ "perf-no-series", "sampleInfo but no series" },
	{ "perf-restricted", "RestrictedByAdministrator (maxQueryMetrics)" },
	{ "format-normal", "csv is ignored" },
	{ "newest-first", "samples newest first" },
	{ "newest-missing", "the newest arg (default 1) values are -1" },
	{ "short-series", "arg (default 1) values fewer than samples" },
	{ "value-absent", "every arg-th (default 2nd) series has no value" },
	{ "value-empty", "every arg-th (default 2nd) value is empty" },
	{ "duplicate-samples", "the newest sample is listed twice" },
	{ "duplicate-series", "every series comes twice" },
	{ "stray-instance", "an extra instance named arg" },
	{ "absurd-value", "the newest latency is arg or 116017258324865" },
	{ "negative-value", "the newest value is arg (default -7)" },
	{ "time-offset", "timestamps as +00:00" },
	{ "time-micro", "timestamps with microseconds" },
	{ "garbage-value", "the newest value is no number" },
	{ "counter-missing", "counter arg is not in the table" },
	{ "counter-twice", "counter arg is in the table twice" },
	{ "counter-offset", "ids are higher by arg (default 70000)" },
	{ "renumber", "ids move by arg (default 1000) at every login" },
	{ "unit-microsecond", "counter arg counts in microseconds" },
};

static const char *
known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].name;
	return NULL;
}

static void
fault_free(struct fault *f)
{
	free(f->arg);
	free(f->method);
	free(f);
}

static bool
same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int
faults_set(struct faults *f, const char *name, const char *arg,
	   const char *method, int64_t count, struct err *e)
{
	const char *row = known(name);
	struct fault **p = &f->first, *x;

	if (row == NULL)
		return err_set(e, ERR_CONF, "unknown fault \"%s\"", name);
	while ((x = *p) != NULL) {
		bool hit = x->name == row &&
			(count == 0 ? arg == NULL || same(x->arg, arg)
				    : same(x->arg, arg) &&
					 same(x->method, method));

		if (hit) {
			*p = x->next;
			fault_free(x);
		} else {
			p = &x->next;
		}
	}
	if (count == 0)
		return 0;
	x = xcalloc(1, sizeof(*x));
	x->name = row;
	xstrset(&x->arg, arg);
	xstrset(&x->method, method);
	x->left = count;
	x->next = f->first;
	f->first = x;
	return 0;
}

void
faults_clear(struct faults *f)
{
	while (f->first != NULL) {
		struct fault *x = f->first;

		f->first = x->next;
		fault_free(x);
	}
}

void
faults_fini(struct faults *f)
{
	faults_clear(f);
	xstrset(&f->taken_arg, NULL);
}

static void
use(struct faults *f, struct fault **p)
{
	struct fault *x = *p;

	xstrset(&f->taken_arg, x->arg != NULL ? x->arg : "");
	if (x->left > 0 && --x->left == 0) {
		*p = x->next;
		fault_free(x);
	}
}

bool
faults_take(struct faults *f, const char *name, const char *method,
	    const char **arg_r)
{
	for (struct fault **p = &f->first; *p != NULL; p = &(*p)->next)
		if (strcmp((*p)->name, name) == 0 &&
		    ((*p)->method == NULL || same((*p)->method, method))) {
			use(f, p);
			if (arg_r != NULL)
				*arg_r = f->taken_arg;
			return true;
		}
	return false;
}

bool
faults_take_for(struct faults *f, const char *name, const char *arg)
{
	for (struct fault **p = &f->first; *p != NULL; p = &(*p)->next)
		if (strcmp((*p)->name, name) == 0 && same((*p)->arg, arg)) {
			use(f, p);
			return true;
		}
	return false;
}

bool
faults_on(const struct faults *f, const char *name)
{
	for (const struct fault *x = f->first; x != NULL; x = x->next)
		if (strcmp(x->name, name) == 0)
			return true;
	return false;
}

int64_t
fault_arg_int(const char *arg, int64_t otherwise)
{
	return arg != NULL && *arg != '\0' ? strtoll(arg, NULL, 10) : otherwise;
}

void
faults_help(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		buf_addf(out, "%s\t%s\n", rows[i].name, rows[i].help);
}
