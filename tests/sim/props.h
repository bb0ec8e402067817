/*
 * props.h - the properties of managed objects, built on demand.
 *
 * props_build() makes a root node of the object's type that holds at least
 * what the path needs; the rest may be absent.  path NULL: everything.
 */
#ifndef SIM_PROPS_H
#define SIM_PROPS_H

#include "sim.h"
#include "tree.h"

struct node *props_build(struct call *c, const struct mo *mo, const char *path,
			 struct tree *t);

/* Is this step of the path wanted?  *rest_r: what is wanted below it. */
bool props_want(const char *path, const char *step, const char **rest_r);

/* Parts, each in its own file. */
void props_host(struct call *c, const struct mo *mo, const char *path,
		struct tree *t, struct node *root);
void props_storage(const struct scene *s, size_t host_i, const char *path,
		   struct tree *t, struct node *device);
void props_volumes(const struct scene *s, size_t host_i, struct tree *t,
		   struct node *volumes);
void props_datastore(struct call *c, const struct mo *mo, const char *path,
		     struct tree *t, struct node *root);
void props_manager(struct call *c, const struct mo *mo, const char *path,
		   struct tree *t, struct node *root);
void props_view(struct call *c, const struct view *v, const char *path,
		struct tree *t, struct node *root);
void props_about(const struct scene *s, struct tree *t, struct node *about);
void props_content(struct call *c, struct tree *t, struct node *content);
void props_session(const struct session *s, struct tree *t, struct node *n);
/* xsd:dateTime with microseconds. */
void props_time(real_t r, char out[48]);

/* The volume of a datastore: `vmfs`, `nas`, ... below an info or a mount. */
void props_volume(const struct scene_ds *d, struct tree *t, struct node *v);
void props_vmfs(const struct scene_ds *d, struct tree *t, struct node *v);
void props_nas(const struct scene_ds *d, struct tree *t, struct node *v);
void props_vvol(struct call *c, const struct scene_ds *d, struct tree *t,
		struct node *v);
void props_mount(const struct scene_ds *d, const struct pair *p,
		 bool accessible, struct tree *t, struct node *n);
void props_url(const struct scene *s, const struct scene_ds *d, char out[512]);

#endif
