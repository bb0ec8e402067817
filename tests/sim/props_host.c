/* HostSystem: runtime, summary, hardware, config. */
#include <stdio.h>
#include <string.h>

#include "props.h"

static void
product(const struct scene_host *h, struct tree *t, struct node *p)
{
	tree_str(t, p, "name", "VMware ESXi");
	tree_strf(t, p, "fullName", "VMware ESXi %s build-%s", h->version,
		  h->build);
	tree_str(t, p, "vendor", "VMware, Inc.");
	tree_str(t, p, "version", h->version);
	tree_str(t, p, "patchLevel", "0.0");
	tree_str(t, p, "build", h->build);
	tree_str(t, p, "localeVersion", "INTL");
	tree_str(t, p, "localeBuild", "000");
	tree_str(t, p, "osType", "vmnix-x86");
	tree_str(t, p, "productLineId", "embeddedEsx");
	tree_str(t, p, "apiType", "HostAgent");
	tree_str(t, p, "apiVersion", h->api);
	tree_str(t, p, "licenseProductName", "VMware ESX Server");
	tree_strf(t, p, "licenseProductVersion", "%.3s", h->version);
}

static void
runtime(const struct call *c, const struct scene_host *h, struct tree *t,
	struct node *r)
{
	char boot[48];

	props_time(real_add_us(c->sim->model.start,
			       INT64_C(-9) * 86400 * US_PER_S + 318137),
		   boot);
	tree_str(t, r, "connectionState", h->connection);
	tree_str(t, r, "powerState", h->power);
	tree_str(t, r, "standbyMode",
		 strcmp(h->power, "standBy") == 0 ? "in" : "none");
	tree_bool(t, r, "inMaintenanceMode", h->maintenance);
	tree_bool(t, r, "inQuarantineMode", false);
	if (strcmp(h->power, "poweredOn") == 0)
		tree_str(t, r, "bootTime", boot);
	tree_str(t, r, "cryptoState", "incapable");
}

static int
count_hbas(const struct scene *s, size_t host_i)
{
	int n = 1; /* the boot device's */

	for (size_t i = 0; i < s->n_dss; i++) {
		const struct pair *p = &s->dss[i].pairs[host_i];

		n += p->mounted && p->proto->hba_type != NULL;
	}
	return n;
}

static void
summary(const struct call *c, size_t i, struct tree *t, struct node *n)
{
	const struct scene *s = &c->sim->scene;
	const struct scene_host *h = &s->hosts[i];
	struct node *x;

	tree_ref(t, n, "host", "HostSystem", h->moref);
	x = tree_obj(t, n, "hardware", NULL);
	tree_str(t, x, "vendor", "Dell Inc.");
	tree_str(t, x, "model", "PowerEdge R750");
	tree_str(t, x, "uuid", h->uuid);
	tree_int(t, x, "memorySize", INT64_C(549753110528));
	tree_str(t, x, "cpuModel", "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz");
	tree_int(t, x, "cpuMhz", 1995);
	tree_int(t, x, "numCpuPkgs", 2);
	tree_int(t, x, "numCpuCores", 56);
	tree_int(t, x, "numCpuThreads", 112);
	tree_int(t, x, "numNics", 4);
	tree_int(t, x, "numHBAs", count_hbas(s, i));
	x = tree_obj(t, n, "runtime", NULL);
	runtime(c, h, t, x);
	x = tree_obj(t, n, "config", NULL);
	tree_str(t, x, "name", h->name);
	tree_int(t, x, "port", 443);
	product(h, t, tree_obj(t, x, "product", NULL));
	tree_bool(t, x, "vmotionEnabled", true);
	tree_bool(t, x, "faultToleranceEnabled", false);
	x = tree_obj(t, n, "quickStats", NULL);
	tree_int(t, x, "overallCpuUsage", 14062);
	tree_int(t, x, "overallMemoryUsage", 271986);
	tree_str(t, n, "overallStatus", "green");
	tree_bool(t, n, "rebootRequired", false);
}

static void
hardware(const struct scene_host *h, struct tree *t, struct node *n)
{
	struct node *x = tree_obj(t, n, "systemInfo", NULL);

	tree_str(t, x, "vendor", "Dell Inc.");
	tree_str(t, x, "model", "PowerEdge R750");
	tree_str(t, x, "uuid", h->uuid);
	tree_int(t, n, "memorySize", INT64_C(549753110528));
}

/* ha-... on ESXi, else with the host's number behind it. */
static void
config_manager(const struct scene *s, const struct scene_host *h,
	       struct tree *t, struct node *n)
{
	static const struct {
		const char *field, *type, *vcenter, *esxi;
	} rows[] = {
		{ "datastoreSystem", "HostDatastoreSystem", "datastoreSystem",
		  "ha-datastoresystem" },
		{ "storageSystem", "HostStorageSystem", "storageSystem",
		  "storageSystem" },
		{ "advancedOption", "OptionManager", "EsxHostAdvSettings",
		  "ha-adv-options" },
	};
	const char *number = h->moref + strcspn(h->moref, "-");
	char id[128];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(id, sizeof(id), "%s%s",
			 s->is_esxi ? rows[i].esxi : rows[i].vcenter,
			 s->is_esxi ? "" : number);
		tree_ref(t, n, rows[i].field, rows[i].type, id);
	}
}

static void
config(struct call *c, size_t i, const char *path, struct tree *t,
       struct node *n)
{
	const struct scene *s = &c->sim->scene;
	const struct scene_host *h = &s->hosts[i];
	const char *rest;

	if (props_want(path, "host", NULL))
		tree_ref(t, n, "host", "HostSystem", h->moref);
	if (props_want(path, "product", NULL))
		product(h, t, tree_obj(t, n, "product", NULL));
	if (props_want(path, "storageDevice", &rest))
		props_storage(s, i, rest, t,
			      tree_obj(t, n, "storageDevice", NULL));
	if (props_want(path, "fileSystemVolume", NULL))
		props_volumes(s, i, t,
			      tree_obj(t, n, "fileSystemVolume", NULL));
	if (props_want(path, "lockdownMode", NULL))
		tree_str(t, n, "lockdownMode", "lockdownDisabled");
}

void
props_host(struct call *c, const struct mo *mo, const char *path,
	   struct tree *t, struct node *root)
{
	const struct scene *s = &c->sim->scene;
	const struct scene_host *h = &s->hosts[mo->i];
	const char *rest;

	if (props_want(path, "runtime", NULL))
		runtime(c, h, t, tree_obj(t, root, "runtime", NULL));
	if (props_want(path, "summary", NULL))
		summary(c, mo->i, t, tree_obj(t, root, "summary", NULL));
	if (props_want(path, "hardware", NULL))
		hardware(h, t, tree_obj(t, root, "hardware", NULL));
	if (props_want(path, "configManager", NULL))
		config_manager(s, h, t,
			       tree_obj(t, root, "configManager", NULL));
	if (!h->no_config && props_want(path, "config", &rest))
		config(c, mo->i, rest, t, tree_obj(t, root, "config", NULL));
	if (!props_want(path, "datastore", NULL))
		return;
	for (size_t i = 0; i < s->n_dss; i++)
		if (scene_ds_listed(&s->dss[i]) &&
		    s->dss[i].pairs[mo->i].mounted)
			tree_ref(t, root, "datastore", "Datastore",
				 s->dss[i].moref);
}
