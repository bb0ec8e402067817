/*
 * props_storage.h - a host's LUNs, between props_storage.c and props_paths.c.
 */
#ifndef SIM_PROPS_STORAGE_H
#define SIM_PROPS_STORAGE_H

#include "scene.h"
#include "tree.h"

/* One LUN of the host, with what the sections below need of it. */
struct dev {
	const struct scene_ds *ds;
	const struct scene_lun *lun;
	const struct pair *pair;
	const struct protocol_row *proto;
	const char *topology;
	int64_t lun_id;
	char id[48]; /* the middle of all its keys */
};

struct devs {
	const struct scene *s;
	const struct scene_host *h;
	struct dev *v;
	size_t n;
};

/* key-vim.host.InternetScsiHba-vmhba64 */
void props_hba_key(const struct protocol_row *p, int n, char out[96]);

void props_multipath(const struct devs *ds, struct tree *t, struct node *m);
void props_plugstore(const struct devs *ds, struct tree *t, struct node *p);

#endif
