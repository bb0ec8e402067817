/*
 * storage_private.h - what storage.c reads and storage_reduce.c walks.
 *
 * All strings are owned; keys are vim25's ("key-vim.host.ScsiDisk-...") and
 * may be NULL.
 */
#ifndef DSLAT_STORAGE_PRIVATE_H
#define DSLAT_STORAGE_PRIVATE_H

#include "storage.h"
#include "transport.h"

struct hba {
	char *key;
	enum transport transport;
	bool is_nvme, is_iser;
};

struct lun {
	char *key, *name;
	enum yes_no local;
	bool is_nvme;
};

/* Where the far end of a path is. */
struct target {
	char *key; /* of the topology; NULL in a path */
	enum transport transport;
	struct strings via;
};

struct path {
	char *lun, *adapter; /* keys */
	struct target target;
};

/* A link of the topology: adapter to its HBA, device to its LUN. */
struct link {
	char *key, *to;
};

struct top_path {
	char *adapter, *target, *device; /* keys */
};

struct controller {
	char *nqn;
	enum protocol protocol;
	struct strings namespaces;
};

struct storage {
	struct hba *hbas;
	struct lun *luns;
	struct path *paths;
	struct link *top_adapters, *top_devices;
	struct top_path *top_paths;
	struct target *top_targets;
	struct controller *controllers;
	size_t n_hbas, n_luns, n_paths, n_top_adapters, n_top_devices,
		n_top_paths, n_top_targets, n_controllers;
	/* being read */
	size_t unit_first; /* the first path of the unit */
	char *unit_lun;
	struct target *target; /* of the path or topology target */
	char **key;            /* where the topology element's key goes */
};

#endif
