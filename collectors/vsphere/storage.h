/*
 * storage.h - one host's HostStorageDeviceInfo, reduced to its devices.
 *
 * Adapters, LUNs, paths and topologies come as properties in any order and may
 * be large; they are kept while one host is read and then reduced to how each
 * wanted device is reached.  A device that multipathInfo has no path for (claimed
 * by a third party's plug-in) is looked up in plugStoreTopology.  Facts: vim25
 * HostStorageDeviceInfo.  Pure; one thread at a time.
 */
#ifndef DSLAT_STORAGE_H
#define DSLAT_STORAGE_H

#include "dslat/map.h"

#include "devices.h"
#include "xml.h"

/* Ids in the tables below are at least STORAGE_ID and below STORAGE_ID_END. */
#define STORAGE_ID 0x100u
#define STORAGE_ID_END 0x200u

/* Children of the values of config.storageDevice.<what>. */
extern const struct xml_node storage_hba_nodes[];
extern const struct xml_node storage_lun_nodes[];
extern const struct xml_node storage_multipath_nodes[];
extern const struct xml_node storage_topology_nodes[];
extern const struct xml_node storage_nvme_nodes[];

struct storage;

struct storage *storage_new(void) must_check;
void storage_free(struct storage **s);
/* Forget the host. */
void storage_reset(struct storage *s);

void storage_open(struct storage *s, struct xml *x, unsigned id);
void storage_close(struct storage *s, unsigned id, const char *text);

/* Add what is known of the devices named in wanted to out. */
void storage_reduce(const struct storage *s, const struct map *wanted,
		    struct devices *out);

#endif
