/*
 * storage.h - how a LUN's paths, adapters and targets are named on a host.
 *
 * Pure functions of the scene; any thread.
 */
#ifndef SIM_STORAGE_H
#define SIM_STORAGE_H

#include "scene.h"

/* How many adapters of this protocol a host has, and their vmhba names. */
int storage_adapters(const struct protocol_row *proto);
void storage_adapter_name(const struct protocol_row *proto, int n,
			  char out[32]);
/* vmhba64:C0:T0:L5 */
void storage_path_name(const struct protocol_row *proto, int n, int64_t lun_id,
		       char out[64]);
/* The path's UID, initiator-target-LUN, as storagePath.* instances have it. */
void storage_path_uid(const struct scene *s, const struct scene_ds *d,
		      const struct scene_lun *l, const struct pair *p, int n,
		      char out[512]);
/* An initiator's and a target port's name; FC numbers as on the wire. */
void storage_iqn(const struct scene_host *h, char out[128]);
int64_t storage_host_wwn(const struct scene *s, const struct scene_host *h,
			 int n, bool port);
int64_t storage_target_wwn(const struct scene_lun *l, int n, bool port);

#endif
