/*
 * service.h - the calls around a session: content, login, clock, view.
 *
 * vim25 ServiceInstance, SessionManager and ViewManager (facts: vSphere Web
 * Services API reference).  write functions append a whole request to a buf;
 * answer functions make the decoder for its answer.  What take returns is the
 * caller's.  Pure; one thread at a time.
 */
#ifndef DSLAT_SERVICE_H
#define DSLAT_SERVICE_H

#include "dslat/clock.h"

#include "answer.h"

/* What the server is and where its managers are; no string is NULL. */
struct service_content {
	char *root_folder;        /* type Folder */
	char *property_collector; /* type PropertyCollector */
	char *view_manager;       /* type ViewManager */
	char *session_manager;    /* type SessionManager */
	char *perf_manager;       /* type PerformanceManager */
	char *event_manager;      /* type EventManager; "" when absent */
	char *full_name;          /* "VMware vCenter Server 8.0.3 build-..." */
	char *version;            /* "8.0.3" */
	char *build;
	char *api_type;      /* "VirtualCenter", "HostAgent" */
	char *api_version;   /* "8.0.2.0" */
	char *instance_uuid; /* "" on ESXi */
};

void service_write_content(struct buf *b);
struct answer *service_content_answer(void) must_check;
struct service_content *service_content_take(struct answer *r) must_check;
void service_content_free(struct service_content **sc);
bool service_is_vcenter(const struct service_content *sc);

void service_write_login(struct buf *b, const struct service_content *sc,
			 const char *username, const char *password);
struct answer *service_login_answer(void) must_check;
/* UserSession.key; borrowed. */
const char *service_login_get(const struct answer *r);

void service_write_logout(struct buf *b, const struct service_content *sc);
struct answer *service_logout_answer(void) must_check;

/* CurrentTime: the server's clock, and whether the session still lives. */
void service_write_time(struct buf *b);
struct answer *service_time_answer(void) must_check;
real_t service_time_get(const struct answer *r);

/* A container view over the root folder, of these types, recursive. */
void service_write_view(struct buf *b, const struct service_content *sc,
			const char *const *types, size_t n_types);
struct answer *service_view_answer(void) must_check;
/* The view's moref; borrowed. */
const char *service_view_get(const struct answer *r);
void service_write_view_destroy(struct buf *b, const char *view);
struct answer *service_view_destroy_answer(void) must_check;

#endif
