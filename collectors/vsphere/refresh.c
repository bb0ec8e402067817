#include "refresh.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "gather.h"
#include "props.h"

#define REFRESH_MAGIC OBJ_MAGIC('r', 'f', 'r', 's')
#define MAX_DROPPED 64

static const enum gather_pass passes[] = { GATHER_BASIC, GATHER_STORAGE,
					   GATHER_NVME };

struct refresh {
	uint32_t magic;
	struct session *session;
	struct gather *gather;
	struct session_call *call;
	char *view;
	size_t pass, n_passes;
	bool running;
	refresh_fn done;
	void *arg;
	char *dropped[MAX_DROPPED]; /* paths this server does not know */
	size_t n_dropped;
};

static void ask_page(struct refresh *r, const char *token);

struct refresh *
refresh_new(struct session *s)
{
	struct refresh *r = xcalloc(1, sizeof(*r));

	r->magic = REFRESH_MAGIC;
	r->session = s;
	return r;
}

static void
reset(struct refresh *r)
{
	session_cancel(&r->call);
	gather_free(&r->gather);
	free(r->view);
	r->view = NULL;
	r->running = false;
}

void
refresh_free(struct refresh **rp)
{
	struct refresh *r = *rp;

	if (r == NULL)
		return;
	reset(r);
	for (size_t i = 0; i < r->n_dropped; i++)
		free(r->dropped[i]);
	free(r);
	*rp = NULL;
}

bool
refresh_is_running(const struct refresh *r)
{
	return r->running;
}

void
refresh_cancel(struct refresh *r)
{
	reset(r);
}

static void
fail(struct refresh *r, const struct err *e)
{
	struct err copy = *e;

	reset(r);
	r->done(r->arg, NULL, &copy);
}

static void
on_destroyed(void *arg, struct answer *answer unused, const struct err *e)
{
	struct refresh *r = OBJ_CAST(struct refresh, REFRESH_MAGIC, arg);
	struct inventory *inv;

	r->call = NULL;
	if (e != NULL && e->code == ERR_SESSION) {
		fail(r, e);
		return;
	}
	inv = gather_take(r->gather);
	reset(r);
	r->done(r->arg, inv, NULL);
}

static void
destroy_view(struct refresh *r)
{
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_view_destroy(&b, r->view);
	r->call = session_call(r->session, &b, service_view_destroy_answer(),
			       &session_small, on_destroyed, r);
}

static void
next_pass(struct refresh *r)
{
	if (++r->pass < r->n_passes)
		ask_page(r, NULL);
	else
		destroy_view(r);
}

/* Leave a path out and ask the pass again; false: the fault was another. */
static bool
drop_path(struct refresh *r, const struct soap_fault *f)
{
	if (f == NULL || strcmp(f->type, "InvalidProperty") != 0 ||
	    r->n_dropped == MAX_DROPPED ||
	    !gather_drop_path(r->gather, f->property))
		return false;
	log_info("vsphere",
		 "the server does not know the property %s: "
		 "left out",
		 f->property);
	r->dropped[r->n_dropped++] = xstrdup(f->property);
	ask_page(r, NULL);
	return true;
}

/* Of the storage passes only a lost session or connection ends the reading. */
static bool
may_go_on(const struct refresh *r, enum err_code code)
{
	if (passes[r->pass] == GATHER_BASIC)
		return false;
	return code == ERR_FAULT || code == ERR_PERM || code == ERR_GONE ||
		code == ERR_LIMIT;
}

static void
on_page(void *arg, struct answer *answer, const struct err *e)
{
	struct refresh *r = OBJ_CAST(struct refresh, REFRESH_MAGIC, arg);

	r->call = NULL;
	if (e != NULL) {
		if (drop_path(r, answer_fault(answer)))
			return;
		if (!may_go_on(r, e->code)) {
			fail(r, e);
			return;
		}
		log_warn("vsphere",
			 "reading storage adapters and paths "
			 "failed, protocols may stay unknown: %s",
			 e->text);
		next_pass(r);
		return;
	}
	if (props_token(answer) != NULL)
		ask_page(r, props_token(answer));
	else
		next_pass(r);
}

/* The first page (token NULL) or the one behind the token. */
static void
ask_page(struct refresh *r, const char *token)
{
	const struct service_content *sc = session_content(r->session);
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	if (token == NULL)
		gather_write_request(r->gather, &b, sc, r->view,
				     passes[r->pass], 0);
	else
		props_write_next(&b, sc->property_collector, token);
	r->call = session_call(r->session, &b,
			       gather_answer(r->gather, token != NULL),
			       &session_large, on_page, r);
}

static void
on_view(void *arg, struct answer *answer, const struct err *e)
{
	struct refresh *r = OBJ_CAST(struct refresh, REFRESH_MAGIC, arg);

	r->call = NULL;
	if (e != NULL) {
		fail(r, e);
		return;
	}
	r->view = xstrdup(service_view_get(answer));
	ask_page(r, NULL);
}

void
refresh_start(struct refresh *r, bool storage, refresh_fn done, void *arg)
{
	const struct service_content *sc = session_content(r->session);
	struct buf b;

	assert(!r->running);
	r->running = true;
	r->done = done;
	r->arg = arg;
	r->pass = 0;
	r->n_passes = storage ? ARRAY_SIZE(passes) : 1;
	r->gather = gather_new(service_is_vcenter(sc));
	for (size_t i = 0; i < r->n_dropped; i++)
		(void)gather_drop_path(r->gather, r->dropped[i]);
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	gather_write_view(r->gather, &b, sc);
	r->call = session_call(r->session, &b, service_view_answer(),
			       &session_small, on_view, r);
}
