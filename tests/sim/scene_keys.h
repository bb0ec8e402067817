/* scene_keys.h - the tables behind scene lines (see keys.h); private. */
#ifndef SIM_SCENE_KEYS_H
#define SIM_SCENE_KEYS_H

#include "keys.h"

extern const struct key scene_server_keys[], scene_host_keys[], scene_ds_keys[],
	scene_io_keys[], scene_event_keys[], scene_fault_keys[],
	scene_cluster_keys[], scene_dc_keys[], scene_pod_keys[];
extern const size_t n_scene_server_keys, n_scene_host_keys, n_scene_ds_keys,
	n_scene_io_keys, n_scene_event_keys, n_scene_fault_keys,
	n_scene_cluster_keys, n_scene_dc_keys, n_scene_pod_keys;

#endif
