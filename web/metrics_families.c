/*
 * The table of /metrics: one row per family, one function per kind of value.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/watch.h"
#include "web/metrics.h"
#include "web/sse.h"

#define NO_DATA_US (90 * US_PER_S)
#define PEAK_SLOTS 15 /* 5 min */

/* ---- the daemon ---- */

static void
add_build(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_label(s->out, "version", PACKAGE_VERSION);
	expo_count(s->out, 1);
}

static void
add_stall_max(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_seconds(s->out, loop_stats(s->web->loop).stall_max_us);
}

static void
add_stalls(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_count(s->out, loop_stats(s->web->loop).stalls);
}

static void
add_requests(const struct metrics_scope *s)
{
	static const char *const classes[] = { NULL,  NULL,  "2xx",
					       "3xx", "4xx", "5xx" };
	struct http_stats st = http_stats(s->web->http);

	for (size_t i = 2; i < ARRAY_SIZE(classes); i++) {
		expo_begin(s->out, "");
		expo_label(s->out, "code", classes[i]);
		expo_count(s->out, st.requests[i]);
	}
}

static void
add_connections(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_count(s->out, http_stats(s->web->http).connections);
}

static void
add_sse_clients(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_count(s->out, sse_clients(s->web->sse));
}

static void
add_start_time(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_seconds(s->out, s->web->site->started.us);
}

/* ---- incidents ---- */

static void
add_incidents_open(const struct metrics_scope *s)
{
	uint64_t n[N_INCIDENT_KINDS][2] = { { 0 } };
	const struct incident *in;

	if (s->web->watch == NULL)
		return;
	for (size_t i = 0;
	     (in = incidents_at(watch_incidents(s->web->watch), i)) != NULL;
	     i++)
		n[in->kind][in->severity] += in->state == INCIDENT_ANNOUNCED;
	for (enum incident_kind k = 0; k < N_INCIDENT_KINDS; k++) {
		for (enum severity v = 0; v <= SEVERITY_CRITICAL; v++) {
			expo_begin(s->out, "");
			expo_label(s->out, "kind", incident_kind_name(k));
			expo_label(s->out, "severity", severity_name(v));
			expo_count(s->out, n[k][v]);
		}
	}
}

static void
add_incidents_told(const struct metrics_scope *s)
{
	if (s->web->watch == NULL)
		return;
	for (enum incident_kind k = 0; k < N_INCIDENT_KINDS; k++) {
		expo_begin(s->out, "");
		expo_label(s->out, "kind", incident_kind_name(k));
		expo_count(s->out, watch_announced(s->web->watch, k));
	}
}

/* ---- targets ---- */

static void
begin_target(const struct metrics_scope *s)
{
	expo_begin(s->out, "");
	expo_label(s->out, "target", s->target->name);
}

static void
add_up(const struct metrics_scope *s)
{
	begin_target(s);
	expo_count(s->out,
		   s->target->state == TARGET_OK ||
			   s->target->state == TARGET_DEGRADED);
}

static void
add_poll_duration(const struct metrics_scope *s)
{
	if (s->target->last_poll.us == 0)
		return;
	begin_target(s);
	expo_seconds(s->out, s->target->poll_us);
}

static void
add_clock_skew(const struct metrics_scope *s)
{
	if (s->target->server_seen.us == 0)
		return;
	begin_target(s);
	expo_seconds(s->out, s->target->clock_skew_us);
}

#define TARGET_COUNT(fn, field)                                                \
	static void fn(const struct metrics_scope *s)                          \
	{                                                                      \
		begin_target(s);                                               \
		expo_count(s->out, s->target->stats.field);                    \
	}
TARGET_COUNT(add_polls, polls)
TARGET_COUNT(add_poll_failures, poll_failures)
TARGET_COUNT(add_samples, samples)
TARGET_COUNT(add_rejected, rejected)
TARGET_COUNT(add_late, late)
TARGET_COUNT(add_gaps, gaps)

/* ---- pairs ---- */

static void
label_datastore(struct expo *x, const struct datastore *ds, const char *cluster)
{
	expo_label(x, "target", ds->target->name);
	expo_label(x, "datacenter_name", ds->datacenter);
	expo_label(x, "cluster_name", cluster);
	expo_label(x, "ds_name", ds->name);
	expo_label(x, "ds_id", ds->id);
	expo_label(x, "protocol", protocol_name(ds->protocol));
}

static void
begin_pair(const struct metrics_scope *s)
{
	const struct host *h = s->pair->host;

	expo_begin(s->out, "");
	label_datastore(s->out, s->pair->datastore, h->cluster);
	expo_label(s->out, "host_name", h->name);
	expo_label(s->out, "host_id", h->id);
}

/* The newest sample; absent when idle, missing, or too old to be "now". */
static void
add_latency(const struct metrics_scope *s, enum op op)
{
	const struct pair *p = s->pair;
	struct merged m;

	if (p->newest_valid == INT64_MIN ||
	    real_diff_us(target_now(p->host->target),
			 slot_end(p->newest_valid)) > NO_DATA_US)
		return;
	m = merge_one(p, p->newest_valid, op);
	if (!load_is_busy(m.load))
		return;
	begin_pair(s);
	expo_seconds(s->out, m.worst_us);
}

/* The worst of the last 5 min; absent when nothing was read or written. */
static void
add_peak(const struct metrics_scope *s, enum op op)
{
	const struct pair *p = s->pair;
	int64_t slot = slot_of(target_now(p->host->target)) - PEAK_SLOTS + 1;
	int64_t worst_us = -1;

	for (; slot <= p->newest_valid; slot++) {
		struct merged m = merge_one(p, slot, op);

		if (load_is_busy(m.load))
			worst_us = MAX(worst_us, m.worst_us);
	}
	if (worst_us < 0)
		return;
	begin_pair(s);
	expo_seconds(s->out, worst_us);
}

/* The newest sample that has the layer: it may come later than the latency. */
static void
add_layer_op(const struct metrics_scope *s, enum layer l, enum op op)
{
	const struct pair *p = s->pair;
	int64_t now = slot_of(target_now(p->host->target));
	struct merged m = { .n = 0 };

	if (p->depth == NULL)
		return;
	for (int64_t slot = p->newest_valid;
	     slot > now - NO_DATA_US / SLOT_US && m.n == 0; slot--)
		m = depth_merge_one(p, slot, l, op);
	if (!load_is_busy(m.load) || m.mean_us < 0)
		return;
	begin_pair(s);
	expo_label(s->out, "op", op_name(op));
	expo_seconds(s->out, m.mean_us);
}

static void
add_layer(const struct metrics_scope *s, enum layer l)
{
	for (enum op op = 0; op < N_OPS; op++)
		add_layer_op(s, l, op);
}

static void
add_device(const struct metrics_scope *s)
{
	add_layer(s, LAYER_DEVICE);
}

static void
add_kernel(const struct metrics_scope *s)
{
	add_layer(s, LAYER_KERNEL);
}

static void
add_queue(const struct metrics_scope *s)
{
	add_layer(s, LAYER_QUEUE);
}

static void
add_ios(const struct metrics_scope *s, enum op op)
{
	begin_pair(s);
	expo_count(s->out, s->pair->tally[op].ios);
}

static void
add_io_time(const struct metrics_scope *s, enum op op)
{
	begin_pair(s);
	expo_seconds(s->out, s->pair->tally[op].sum_us);
}

static void
add_timestamp(const struct metrics_scope *s)
{
	if (s->pair->newest_valid == INT64_MIN)
		return;
	begin_pair(s);
	expo_seconds(s->out, slot_end(s->pair->newest_valid).us);
}

/* ---- datastores ---- */

static void
begin_datastore(const struct metrics_scope *s, const char *suffix)
{
	expo_begin(s->out, suffix);
	label_datastore(s->out, s->ds, s->ds->cluster);
}

static void
begin_op(const struct metrics_scope *s, const char *suffix, enum op op)
{
	begin_datastore(s, suffix);
	expo_label(s->out, "op", op_name(op));
}

/* Bounds as OpenMetrics writes them, "1.0", in both formats: the label is part
 * of a series' name. */
static void
add_bucket(const struct metrics_scope *s, enum op op, const char *le,
	   uint64_t count)
{
	begin_op(s, "_bucket", op);
	expo_label(s->out, "le", le);
	expo_count(s->out, count);
}

static void
add_histogram(const struct metrics_scope *s)
{
	for (enum op op = 0; op < N_OPS; op++) {
		const struct ds_tally *dt = &s->ds->tally[op];
		char le[EXPO_SECONDS_SIZE + 2];
		uint64_t n = 0;

		for (size_t i = 0; i < N_LATENCY_BOUNDS; i++) {
			expo_format_seconds(latency_bounds_us[i], le);
			if (strchr(le, '.') == NULL)
				memcpy(le + strlen(le), ".0", sizeof(".0"));
			n += dt->buckets[i];
			add_bucket(s, op, le, n);
		}
		n += dt->buckets[N_LATENCY_BOUNDS];
		add_bucket(s, op, "+Inf", n);
		begin_op(s, "_sum", op);
		expo_seconds(s->out, dt->sum_us);
		begin_op(s, "_count", op);
		expo_count(s->out, n);
	}
}

static void
add_breach_time(const struct metrics_scope *s)
{
	for (enum op op = 0; op < N_OPS; op++) {
		begin_op(s, "", op);
		expo_seconds(s->out, s->ds->tally[op].breach_us);
	}
}

static void
add_breaches(const struct metrics_scope *s)
{
	for (enum op op = 0; op < N_OPS; op++) {
		begin_op(s, "", op);
		expo_count(s->out, s->ds->tally[op].breaches);
	}
}

static void
add_breach_active(const struct metrics_scope *s)
{
	for (enum op op = 0; op < N_OPS; op++) {
		begin_op(s, "", op);
		expo_count(s->out, s->ds->tally[op].active != BREACH_NONE);
	}
}

static void
add_slow(const struct metrics_scope *s, enum op op)
{
	begin_datastore(s, "");
	expo_count(s->out, s->ds->tally[op].slow_ios);
}

static void
add_threshold(const struct metrics_scope *s)
{
	begin_datastore(s, "");
	expo_seconds(s->out, s->ds->threshold.warning_us);
}

static void
add_accessible(const struct metrics_scope *s)
{
	begin_datastore(s, "");
	expo_count(s->out, s->ds->accessible);
}

static void
add_info(const struct metrics_scope *s)
{
	begin_datastore(s, "");
	expo_label(s->out, "fs", s->ds->fs);
	expo_label(s->out, "backing", s->ds->backing);
	expo_count(s->out, 1);
}

/* A function of an op as the two that the table wants. */
#define BOTH_OPS(fn)                                                           \
	static void fn##_read(const struct metrics_scope *s)                   \
	{                                                                      \
		fn(s, OP_READ);                                                \
	}                                                                      \
	static void fn##_write(const struct metrics_scope *s)                  \
	{                                                                      \
		fn(s, OP_WRITE);                                               \
	}
BOTH_OPS(add_latency)
BOTH_OPS(add_peak)
BOTH_OPS(add_ios)
BOTH_OPS(add_io_time)
BOTH_OPS(add_slow)

#define COUNTER EXPO_COUNTER
#define GAUGE EXPO_GAUGE

const struct metrics_family metrics_families[] = {
	{ "dslat_build", EXPO_INFO, NULL, "Version of dslatd.", PER_DAEMON,
	  add_build },
	{ "dslat_incidents_open", GAUGE, NULL,
	  "Incidents that were announced and have not ended, nested and "
	  "silenced ones too.",
	  PER_DAEMON, add_incidents_open },
	{ "dslat_incidents", COUNTER, NULL, "Incidents announced.", PER_DAEMON,
	  add_incidents_told },
	{ "dslat_target_up", GAUGE, NULL, "Did the target's last poll work?",
	  PER_TARGET, add_up },
	{ "dslat_poll_duration_seconds", GAUGE, "seconds",
	  "How long the last good poll took.", PER_TARGET, add_poll_duration },
	{ "dslat_polls", COUNTER, NULL, "Good polls.", PER_TARGET, add_polls },
	{ "dslat_poll_failures", COUNTER, NULL, "Failed polls.", PER_TARGET,
	  add_poll_failures },
	{ "dslat_samples", COUNTER, NULL, "Values stored.", PER_TARGET,
	  add_samples },
	{ "dslat_samples_rejected", COUNTER, NULL,
	  "Values below -1 or above any sense.", PER_TARGET, add_rejected },
	{ "dslat_samples_late", COUNTER, NULL,
	  "Values that came after their slot was final.", PER_TARGET,
	  add_late },
	{ "dslat_sample_gaps", COUNTER, NULL,
	  "Slots of a host and datastore that stayed without a latency.",
	  PER_TARGET, add_gaps },
	{ "dslat_target_clock_skew_seconds", GAUGE, "seconds",
	  "The target's clock minus ours.", PER_TARGET, add_clock_skew },

	{ "dslat_read_latency_seconds", GAUGE, "seconds",
	  "Mean read latency of the newest 20 s "
	  "(datastore.totalReadLatency); absent when idle or missing.",
	  PER_PAIR, add_latency_read },
	{ "dslat_write_latency_seconds", GAUGE, "seconds",
	  "Mean write latency of the newest 20 s "
	  "(datastore.totalWriteLatency); absent when idle or missing.",
	  PER_PAIR, add_latency_write },
	{ "dslat_device_latency_seconds", GAUGE, "seconds",
	  "What the device, its fabric and array took of it "
	  "(disk.deviceReadLatency, ...); block storage only.",
	  PER_PAIR, add_device },
	{ "dslat_kernel_latency_seconds", GAUGE, "seconds",
	  "What the host's kernel took of it (disk.kernelReadLatency, ...); "
	  "block storage only.",
	  PER_PAIR, add_kernel },
	{ "dslat_queue_latency_seconds", GAUGE, "seconds",
	  "What of the kernel's was its queue's (disk.queueReadLatency, ...); "
	  "block storage only.",
	  PER_PAIR, add_queue },
	{ "dslat_reads", COUNTER, NULL,
	  "Reads (datastore.numberReadAveraged x 20 s).", PER_PAIR,
	  add_ios_read },
	{ "dslat_writes", COUNTER, NULL,
	  "Writes (datastore.numberWriteAveraged x 20 s).", PER_PAIR,
	  add_ios_write },
	{ "dslat_read_seconds", COUNTER, "seconds",
	  "Latency x reads; divided by dslat_reads_total it is the mean.",
	  PER_PAIR, add_io_time_read },
	{ "dslat_write_seconds", COUNTER, "seconds",
	  "Latency x writes; divided by dslat_writes_total it is the mean.",
	  PER_PAIR, add_io_time_write },
	{ "dslat_read_latency_peak_seconds", GAUGE, "seconds",
	  "Worst 20 s mean read latency of the last 5 minutes.", PER_PAIR,
	  add_peak_read },
	{ "dslat_write_latency_peak_seconds", GAUGE, "seconds",
	  "Worst 20 s mean write latency of the last 5 minutes.", PER_PAIR,
	  add_peak_write },
	{ "dslat_sample_timestamp_seconds", GAUGE, "seconds",
	  "End of the newest sample, by the host's clock.", PER_PAIR,
	  add_timestamp },

	{ "dslat_sample_latency_seconds", EXPO_HISTOGRAM, "seconds",
	  "20 s means of single hosts with I/O.", PER_DATASTORE,
	  add_histogram },
	{ "dslat_breach_seconds", COUNTER, "seconds",
	  "Time in which a host was at or over the threshold.", PER_DATASTORE,
	  add_breach_time },
	{ "dslat_breaches", COUNTER, NULL,
	  "Times that the threshold was reached.", PER_DATASTORE,
	  add_breaches },
	{ "dslat_breach_active", GAUGE, NULL,
	  "Is a host at or over the threshold in the newest final slot?",
	  PER_DATASTORE, add_breach_active },
	{ "dslat_threshold_seconds", GAUGE, "seconds",
	  "The warning threshold in force.", PER_DATASTORE, add_threshold },
	{ "dslat_reads_slow", COUNTER, NULL,
	  "Reads in samples at or over the threshold.", PER_DATASTORE,
	  add_slow_read },
	{ "dslat_writes_slow", COUNTER, NULL,
	  "Writes in samples at or over the threshold.", PER_DATASTORE,
	  add_slow_write },
	{ "dslat_datastore", EXPO_INFO, NULL, "What a datastore is.",
	  PER_DATASTORE, add_info },
	{ "dslat_datastore_accessible", GAUGE, NULL,
	  "Does the target call the datastore accessible?", PER_DATASTORE,
	  add_accessible },

	{ "dslat_store_up", GAUGE, NULL, "Can the history be written?",
	  PER_DAEMON, metrics_add_store_up },
	{ "dslat_store_bytes", GAUGE, "bytes", "Size of the history on disk.",
	  PER_DAEMON, metrics_add_store_bytes },
	{ "dslat_store_commits", COUNTER, NULL, "Times it was written to.",
	  PER_DAEMON, metrics_add_store_commits },
	{ "dslat_store_failures", COUNTER, NULL, "Times that went wrong.",
	  PER_DAEMON, metrics_add_store_failures },
	{ "dslat_store_jobs", GAUGE, NULL, "Reads waiting or under way.",
	  PER_DAEMON, metrics_add_store_jobs },
	{ "dslat_store_last_commit_timestamp_seconds", GAUGE, "seconds",
	  "When it was written to last.", PER_DAEMON,
	  metrics_add_store_written },

	{ "dslat_loop_stall_seconds_max", GAUGE, NULL,
	  "Longest turn of the loop since the start.", PER_DAEMON,
	  add_stall_max },
	{ "dslat_loop_stalls", COUNTER, NULL, "Turns of the loop over 50 ms.",
	  PER_DAEMON, add_stalls },
	{ "dslat_http_requests", COUNTER, NULL, "Requests answered.",
	  PER_DAEMON, add_requests },
	{ "dslat_http_connections", GAUGE, NULL, "Open HTTP connections.",
	  PER_DAEMON, add_connections },
	{ "dslat_notifier_up", GAUGE, NULL,
	  "0 while the notifier's last attempt failed.", PER_DAEMON,
	  metrics_add_notifier_up },
	{ "dslat_notifier_queued", GAUGE, NULL,
	  "Incidents that are not told yet.", PER_DAEMON,
	  metrics_add_notifier_queued },
	{ "dslat_notifier_sent", COUNTER, NULL, "Messages that arrived.",
	  PER_DAEMON, metrics_add_notifier_sent },
	{ "dslat_notifier_failures", COUNTER, NULL, "Attempts that failed.",
	  PER_DAEMON, metrics_add_notifier_failures },
	{ "dslat_notifier_dropped", COUNTER, NULL,
	  "Incidents that were never told.", PER_DAEMON,
	  metrics_add_notifier_dropped },
	{ "dslat_notifier_last_success_timestamp_seconds", GAUGE, "seconds",
	  "When the last message arrived.", PER_DAEMON,
	  metrics_add_notifier_success },
	{ "dslat_sse_clients", GAUGE, NULL, "Open live streams.", PER_DAEMON,
	  add_sse_clients },
	{ "process_start_time_seconds", GAUGE, "seconds",
	  "Start of the process.", PER_DAEMON, add_start_time },
};
const size_t metrics_n_families = ARRAY_SIZE(metrics_families);
