/*
 * sse_event.h - what the events of the live stream say.
 *
 * The loop thread, inside the bus call: the pairs' dirty slots are looked at.
 */
#ifndef DSLAT_SSE_EVENT_H
#define DSLAT_SSE_EVENT_H

#include "dslat/incident.h"
#include "dslat/json.h"
#include "dslat/model.h"

/* "sample": for each datastore of the target with new values columns from the
 * lowest changed slot to the newest, at most SSE_MAX_SLOTS; NULL when there is
 * none. */
json_t *sse_sample_event(const struct target *t) must_check;
/* "incident": what became of one. */
json_t *sse_incident_event(const struct incident *in, enum incident_change what)
	must_check;

#endif
