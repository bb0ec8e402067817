/* The keys of each scene line; the same names work in POST /sim/set. */
#include <stddef.h>

#include "scene.h"

#define S(st, f)                                                               \
	{                                                                      \
#f, KEY_STR, offsetof(struct st, f)                            \
	}
#define I(st, f)                                                               \
	{                                                                      \
#f, KEY_INT, offsetof(struct st, f)                            \
	}
#define R(st, f)                                                               \
	{                                                                      \
#f, KEY_REAL, offsetof(struct st, f)                           \
	}
#define B(st, f)                                                               \
	{                                                                      \
#f, KEY_BOOL, offsetof(struct st, f)                           \
	}
#define IO(f)                                                                  \
	{                                                                      \
#f, KEY_REAL, offsetof(struct io_model, f)                     \
	}
#define DSIO(f)                                                                \
	{                                                                      \
#f, KEY_REAL, offsetof(struct scene_ds, io.f)                  \
	}

const struct key scene_server_keys[] = {
	S(scene_server, kind),
	S(scene_server, name),
	S(scene_server, version),
	S(scene_server, build),
	S(scene_server, api),
	S(scene_server, uuid),
	S(scene_server, user),
	S(scene_server, password),
	S(scene_server, hidden_version),
	I(scene_server, seed),
	I(scene_server, page_size),
	I(scene_server, element_limit),
	I(scene_server, session_idle_s),
	I(scene_server, max_sessions),
	I(scene_server, clock_offset_s),
	I(scene_server, late_pct),
	I(scene_server, late_min_s),
	I(scene_server, late_max_s),
	I(scene_server, max_query_metrics),
	B(scene_server, gzip),
};
const size_t n_scene_server_keys = ARRAY_SIZE(scene_server_keys);

const struct key scene_host_keys[] = {
	S(scene_host, name),
	S(scene_host, moref),
	S(scene_host, uuid),
	S(scene_host, cluster),
	S(scene_host, connection),
	S(scene_host, power),
	S(scene_host, version),
	S(scene_host, build),
	S(scene_host, api),
	B(scene_host, maintenance),
	B(scene_host, gone),
	B(scene_host, no_config),
	I(scene_host, clock_offset_s),
	R(scene_host, io_x),
};
const size_t n_scene_host_keys = ARRAY_SIZE(scene_host_keys);

const struct key scene_ds_keys[] = {
	S(scene_ds, name),
	S(scene_ds, moref),
	S(scene_ds, uuid),
	{ "protocol", KEY_STR, offsetof(struct scene_ds, proto_name) },
	S(scene_ds, type),
	S(scene_ds, server),
	S(scene_ds, path),
	S(scene_ds, servers),
	S(scene_ds, folder_path),
	S(scene_ds, hosts),
	S(scene_ds, mixed),
	S(scene_ds, topology),
	S(scene_ds, datacenter),
	S(scene_ds, pod),
	S(scene_ds, folder),
	S(scene_ds, maintenance),
	S(scene_ds, reason),
	S(scene_ds, security),
	I(scene_ds, extents),
	R(scene_ds, extent_x),
	I(scene_ds, lun_id),
	I(scene_ds, capacity_gib),
	I(scene_ds, free_gib),
	I(scene_ds, connections),
	B(scene_ds, accessible),
	B(scene_ds, sioc),
	B(scene_ds, no_info),
	B(scene_ds, url_slash),
	B(scene_ds, gone),
	B(scene_ds, no_perf),
	B(scene_ds, hidden),
	DSIO(read_ms),
	DSIO(write_ms),
	DSIO(read_iops),
	DSIO(write_iops),
	DSIO(read_kib),
	DSIO(write_kib),
	DSIO(noise),
	DSIO(day),
	DSIO(kernel_pct),
};
const size_t n_scene_ds_keys = ARRAY_SIZE(scene_ds_keys);

const struct key scene_io_keys[] = {
	IO(read_ms),    IO(write_ms), IO(read_iops),
	IO(write_iops), IO(read_kib), IO(write_kib),
	IO(noise),      IO(day),      IO(kernel_pct),
};
const size_t n_scene_io_keys = ARRAY_SIZE(scene_io_keys);

const struct key scene_event_keys[] = {
	S(scene_event, kind),    S(scene_event, host),
	S(scene_event, ds),      R(scene_event, at_s),
	R(scene_event, for_s),   R(scene_event, every_s),
	R(scene_event, read_ms), R(scene_event, write_ms),
	R(scene_event, read_x),  R(scene_event, write_x),
	R(scene_event, iops_x),  R(scene_event, kernel_pct),
	R(scene_event, ramp_s),  R(scene_event, delay_s),
	S(scene_event, counter), I(scene_event, value),
	B(scene_event, past),
};
const size_t n_scene_event_keys = ARRAY_SIZE(scene_event_keys);

const struct key scene_fault_keys[] = {
	S(scene_fault, name),
	S(scene_fault, arg),
	S(scene_fault, method),
	I(scene_fault, count),
};
const size_t n_scene_fault_keys = ARRAY_SIZE(scene_fault_keys);

const struct key scene_cluster_keys[] = {
	S(scene_cluster, name),
	S(scene_cluster, datacenter),
	S(scene_cluster, folder),
	B(scene_cluster, standalone),
};
const size_t n_scene_cluster_keys = ARRAY_SIZE(scene_cluster_keys);

const struct key scene_dc_keys[] = {
	S(scene_dc, name),
	S(scene_dc, folder),
};
const size_t n_scene_dc_keys = ARRAY_SIZE(scene_dc_keys);

const struct key scene_pod_keys[] = {
	S(scene_pod, name),
	S(scene_pod, datacenter),
};
const size_t n_scene_pod_keys = ARRAY_SIZE(scene_pod_keys);
