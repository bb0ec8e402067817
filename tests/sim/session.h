/*
 * session.h - who is logged in, with the views and paging tokens of each.
 *
 * Sessions die by logout, by the idle time-out, or when a fault kills them;
 * what belongs to one dies with it.  The caller guards the table.
 */
#ifndef SIM_SESSION_H
#define SIM_SESSION_H

#include "dslat/buf.h"
#include "dslat/clock.h"
#include "inventory.h"

struct view {
	char *id;
	struct mo self;
	char *container;
	char **types;
	size_t n_types;
	bool recursive;
	struct view *next;
};

/* Pages not fetched yet: rendered objects, one text each. */
struct paging {
	char *token;
	char **objects;
	size_t n, next, per_page;
	struct paging *next_paging;
};

struct session {
	char *cookie; /* without the quotes */
	char *key;
	char *user, *agent, *address;
	real_t login;
	mono_t last_active;
	int64_t calls;
	int id_offset; /* added to counter ids, for renumbering */
	struct view *views;
	struct paging *pagings;
	struct session *next;
};

struct sessions {
	struct session *first;
	size_t n;
	uint64_t serial; /* makes cookies, keys, views and tokens unique */
};

void sessions_fini(struct sessions *ss);
/* "vmware_soap_session" from a Cookie header, or NULL. */
struct session *session_find(struct sessions *ss, const char *cookie_header);
struct session *session_new(struct sessions *ss, uint64_t seed);
void session_end(struct sessions *ss, struct session *s);
void sessions_kill_all(struct sessions *ss);
void sessions_expire(struct sessions *ss, mono_t now, int64_t idle_s);

/* Arguments become the view's. */
struct view *view_new_take(struct sessions *ss, struct session *s,
			   char *container, char **types, size_t n_types);
struct view *view_find(const struct session *s, const char *id);
bool view_destroy(struct session *s, const char *id);

/* A session keeps so many; the oldest goes when there is one more. */
#define PAGINGS_MAX 16
struct paging *paging_new(struct sessions *ss, struct session *s);
struct paging *paging_find(const struct session *s, const char *token);
void paging_end(struct session *s, struct paging *p);
/* A token is good once: give the paging a fresh one. */
void paging_renew(struct sessions *ss, struct paging *p);

#endif
