/*
 * service.h - the calls around a session: content, login, clock, view.
 *
 * vim25 ServiceInstance, SessionManager and ViewManager (facts: vSphere Web
 * Services API reference).  write functions append a whole request to a buf;
 * reply functions make the decoder for its answer.  What take returns is the
 * caller's.  Pure; one thread at a time.
 */
#ifndef DSLAT_SERVICE_H
#define DSLAT_SERVICE_H

#include "dslat/clock.h"

#include "reply.h"

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
struct reply *service_content_reply(void) must_check;
struct service_content *service_content_take(struct reply *r) must_check;
void service_content_free(struct service_content **sc);
bool service_is_vcenter(const struct service_content *sc);

void service_write_login(struct buf *b, const struct service_content *sc,
			 const char *username, const char *password);
struct reply *service_login_reply(void) must_check;
/* UserSession.key; borrowed. */
const char *service_login_get(const struct reply *r);

void service_write_logout(struct buf *b, const struct service_content *sc);
struct reply *service_logout_reply(void) must_check;

/* CurrentTime: the server's clock, and whether the session still lives. */
void service_write_time(struct buf *b);
struct reply *service_time_reply(void) must_check;
real_t service_time_get(const struct reply *r);

/* A container view over the root folder, of these types, recursive. */
void service_write_view(struct buf *b, const struct service_content *sc,
			const char *const *types, size_t n_types);
struct reply *service_view_reply(void) must_check;
/* The view's moref; borrowed. */
const char *service_view_get(const struct reply *r);
void service_write_view_destroy(struct buf *b, const char *view);
struct reply *service_view_destroy_reply(void) must_check;

#endif
