#include "dslat/resolve.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "dslat/mem.h"

#define LOOK_US (10 * US_PER_MS)

/* What a resolver thread may still read after resolve_cancel(). */
struct lookup {
	char *host, *port;
	struct addrinfo hints;
#ifdef HAVE_GETADDRINFO_A
	struct gaicb cb;
	struct lookup *next; /* among the abandoned */
#endif
};

struct resolve {
	struct loop_timer *timer;
	struct lookup *lookup; /* NULL: the result is there */
	struct resolve_result result;
	resolve_done_fn done;
	void *arg;
};

static void
lookup_free(struct lookup *u)
{
	if (u == NULL)
		return;
#ifdef HAVE_GETADDRINFO_A
	if (u->cb.ar_result != NULL)
		freeaddrinfo(u->cb.ar_result);
#endif
	free(u->host);
	free(u->port);
	free(u);
}

#ifdef HAVE_GETADDRINFO_A
static struct lookup *abandoned;

static void
free_abandoned(void)
{
	struct lookup **p = &abandoned, *u;

	while ((u = *p) != NULL) {
		if (gai_error(&u->cb) == EAI_INPROGRESS) {
			p = &u->next;
			continue;
		}
		*p = u->next;
		lookup_free(u);
	}
}
#endif

static void
take(struct resolve *r, int error, const struct addrinfo *found,
     const char *host)
{
	if (error == 0) {
		memcpy(&r->result.address, found->ai_addr, found->ai_addrlen);
		r->result.len = found->ai_addrlen;
		r->result.err.code = ERR_NONE;
	} else {
		err_set(&r->result.err, ERR_NET,
			"there is no address for %.100s (%s): check the name, "
			"and this machine's DNS",
			host, gai_strerror(error));
	}
}

void
resolve_cancel(struct resolve **rp)
{
	struct resolve *r = *rp;

	if (r == NULL)
		return;
	*rp = NULL;
	loop_timer_free(&r->timer);
#ifdef HAVE_GETADDRINFO_A
	if (r->lookup != NULL) {
		gai_cancel(&r->lookup->cb);
		r->lookup->next = abandoned;
		abandoned = r->lookup;
		free_abandoned();
	}
#endif
	free(r);
}

static void
on_timer(void *arg, struct now now unused)
{
	struct resolve *r = arg;
	struct resolve_result result;
	resolve_done_fn done = r->done;
	void *done_arg = r->arg;

#ifdef HAVE_GETADDRINFO_A
	if (r->lookup != NULL) {
		int error = gai_error(&r->lookup->cb);

		if (error == EAI_INPROGRESS) {
			loop_timer_in_us(r->timer, LOOK_US);
			return;
		}
		take(r, error, r->lookup->cb.ar_result, r->lookup->host);
		lookup_free(r->lookup);
		r->lookup = NULL;
	}
#endif
	result = r->result;
	resolve_cancel(&r);
	done(done_arg, &result);
}

/* "[::1]:514" -> "::1" and "514". */
static struct lookup *
lookup_new(const char *place, const char *port)
{
	struct lookup *u = xcalloc(1, sizeof(*u));
	const char *end = strrchr(place, ']'), *colon = strrchr(place, ':');
	bool v6 = place[0] == '[' && end != NULL;
	size_t len = strlen(place);

	if (colon != NULL && (end == NULL || colon > end)) {
		port = colon + 1;
		len = (size_t)(colon - place);
	}
	u->host = v6 ? xstrndup(place + 1, (size_t)(end - place) - 1)
		     : xstrndup(place, len);
	u->port = xstrdup(port);
	u->hints.ai_socktype = SOCK_DGRAM; /* one row per address */
	return u;
}

struct resolve *
resolve_start(struct loop *l, const char *place, const char *port,
	      resolve_done_fn done, void *arg)
{
	struct resolve *r = xcalloc(1, sizeof(*r));
	struct lookup *u = lookup_new(place, port);
	struct addrinfo *found = NULL;
	int error;

	r->done = done;
	r->arg = arg;
	r->timer = loop_timer_new(l, on_timer, r);
	loop_timer_in_us(r->timer, 0);
	u->hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
	error = getaddrinfo(u->host, u->port, &u->hints, &found);
#ifdef HAVE_GETADDRINFO_A
	if (error == EAI_NONAME) {
		struct gaicb *list[] = { &u->cb };

		free_abandoned();
		u->hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
		u->cb = (struct gaicb){ .ar_name = u->host,
					.ar_service = u->port,
					.ar_request = &u->hints };
		error = getaddrinfo_a(GAI_NOWAIT, list, 1, NULL);
		if (error == 0) {
			r->lookup = u;
			return r;
		}
	}
#endif
	take(r, error, found, u->host);
	if (found != NULL)
		freeaddrinfo(found);
	lookup_free(u);
	return r;
}
