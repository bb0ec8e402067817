#include "storage.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "storage_private.h"
#include "xsd.h"

enum {
	S_HBA = STORAGE_ID,
	S_HBA_KEY,
	S_HBA_DRIVER,
	S_HBA_PROTOCOL,
	S_LUN,
	S_LUN_KEY,
	S_LUN_NAME,
	S_LUN_LOCAL,
	S_LUN_PROTOCOL,
	S_UNIT, /* multipathInfo.lun: a LUN with its paths */
	S_UNIT_LUN,
	S_PATH,
	S_PATH_ADAPTER,
	S_TRANSPORT, /* of a path or of a target */
	S_ADDRESS,
	S_WWPN,
	S_TOP_ADAPTER,
	S_TOP_KEY,
	S_TOP_ADAPTER_HBA,
	S_TOP_PATH,
	S_TOP_PATH_ADAPTER,
	S_TOP_PATH_TARGET,
	S_TOP_PATH_DEVICE,
	S_TOP_TARGET,
	S_TOP_DEVICE,
	S_TOP_DEVICE_LUN,
	S_NVME,
	S_NVME_NQN,
	S_NVME_TRANSPORT,
	S_NVME_NAMESPACE,
};

/* ---- reading ---- */

static const struct xml_node hba_nodes[] = {
	{ "key", S_HBA_KEY, NULL },
	{ "driver", S_HBA_DRIVER, NULL },
	{ "storageProtocol", S_HBA_PROTOCOL, NULL },
	{ NULL, 0, NULL },
};
const struct xml_node storage_hba_nodes[] = {
	{ "*", S_HBA, hba_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node lun_nodes[] = {
	{ "key", S_LUN_KEY, NULL },
	{ "canonicalName", S_LUN_NAME, NULL },
	{ "localDisk", S_LUN_LOCAL, NULL },
	{ "applicationProtocol", S_LUN_PROTOCOL, NULL },
	{ NULL, 0, NULL },
};
const struct xml_node storage_lun_nodes[] = {
	{ "*", S_LUN, lun_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node transport_nodes[] = {
	{ "address", S_ADDRESS, NULL },
	{ "portWorldWideName", S_WWPN, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node path_nodes[] = {
	{ "adapter", S_PATH_ADAPTER, NULL },
	{ "transport", S_TRANSPORT, transport_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node unit_nodes[] = {
	{ "lun", S_UNIT_LUN, NULL },
	{ "path", S_PATH, path_nodes },
	{ NULL, 0, NULL },
};
const struct xml_node storage_multipath_nodes[] = {
	{ "lun", S_UNIT, unit_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node top_adapter_nodes[] = {
	{ "key", S_TOP_KEY, NULL },
	{ "adapter", S_TOP_ADAPTER_HBA, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node top_path_nodes[] = {
	{ "adapter", S_TOP_PATH_ADAPTER, NULL },
	{ "target", S_TOP_PATH_TARGET, NULL },
	{ "device", S_TOP_PATH_DEVICE, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node top_target_nodes[] = {
	{ "key", S_TOP_KEY, NULL },
	{ "transport", S_TRANSPORT, transport_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node top_device_nodes[] = {
	{ "key", S_TOP_KEY, NULL },
	{ "lun", S_TOP_DEVICE_LUN, NULL },
	{ NULL, 0, NULL },
};
const struct xml_node storage_topology_nodes[] = {
	{ "adapter", S_TOP_ADAPTER, top_adapter_nodes },
	{ "path", S_TOP_PATH, top_path_nodes },
	{ "target", S_TOP_TARGET, top_target_nodes },
	{ "device", S_TOP_DEVICE, top_device_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node namespace_nodes[] = {
	{ "name", S_NVME_NAMESPACE, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node controller_nodes[] = {
	{ "subnqn", S_NVME_NQN, NULL },
	{ "transportType", S_NVME_TRANSPORT, NULL },
	{ "attachedNamespace", 0, namespace_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node interface_nodes[] = {
	{ "connectedController", S_NVME, controller_nodes },
	{ NULL, 0, NULL },
};
const struct xml_node storage_nvme_nodes[] = {
	{ "adapter", 0, interface_nodes },
	{ NULL, 0, NULL },
};

/* One more element, zeroed, behind the array's n; a pointer to it. */
#define PUSH(array, n)                                                         \
	((array) = xgrow((array), (n), sizeof(*(array))),                      \
	 memset(&(array)[n], 0, sizeof(*(array))), &(array)[(n)++])
#define LAST(array, n) (&(array)[(n)-1])

static void
open_hba(struct storage *s, struct xml *x)
{
	struct hba *h = PUSH(s->hbas, s->n_hbas);

	h->transport = transport_of_hba(xml_xsi_type(x));
}

void
storage_open(struct storage *s, struct xml *x, unsigned id)
{
	switch (id) {
	case S_HBA:
		open_hba(s, x);
		break;
	case S_LUN:
		(void)PUSH(s->luns, s->n_luns);
		break;
	case S_UNIT:
		s->unit_first = s->n_paths;
		xstrset(&s->unit_lun, NULL);
		break;
	case S_PATH:
		s->target = &PUSH(s->paths, s->n_paths)->target;
		break;
	case S_TRANSPORT:
		s->target->transport = transport_of_path(xml_xsi_type(x));
		break;
	case S_TOP_ADAPTER:
		s->key = &PUSH(s->top_adapters, s->n_top_adapters)->key;
		break;
	case S_TOP_PATH:
		(void)PUSH(s->top_paths, s->n_top_paths);
		break;
	case S_TOP_TARGET:
		s->target = PUSH(s->top_targets, s->n_top_targets);
		s->key = &s->target->key;
		break;
	case S_TOP_DEVICE:
		s->key = &PUSH(s->top_devices, s->n_top_devices)->key;
		break;
	case S_NVME:
		(void)PUSH(s->controllers, s->n_controllers);
		break;
	default:
		break;
	}
}

/* vim25 has World Wide Names as signed decimal numbers. */
static void
add_wwpn(struct target *t, const char *text)
{
	struct buf b;
	int64_t wwpn;

	if (!xsd_i64_all(text, &wwpn))
		return;
	buf_init(&b, 32);
	buf_addf(&b, "%016llx", (unsigned long long)wwpn);
	strings_add(&t->via, buf_str(&b));
	buf_fini(&b);
}

static void
close_hba(struct storage *s, unsigned id, const char *text)
{
	struct hba *h = LAST(s->hbas, s->n_hbas);

	if (id == S_HBA_KEY)
		xstrset(&h->key, text);
	else if (id == S_HBA_DRIVER)
		h->is_iser = strstr(text, "iser") != NULL;
	else if (id == S_HBA_PROTOCOL)
		h->is_nvme = strcmp(text, "nvme") == 0;
}

static void
close_lun(struct storage *s, unsigned id, const char *text)
{
	struct lun *l = LAST(s->luns, s->n_luns);

	if (id == S_LUN_KEY)
		xstrset(&l->key, text);
	else if (id == S_LUN_NAME)
		xstrset(&l->name, text);
	else if (id == S_LUN_LOCAL)
		l->local = xsd_bool(text) ? YES : NO;
	else if (id == S_LUN_PROTOCOL)
		l->is_nvme = strcmp(text, "NVMe") == 0;
}

static void
close_topology(struct storage *s, unsigned id, const char *text)
{
	if (id == S_TOP_KEY)
		xstrset(s->key, text);
	else if (id == S_TOP_ADAPTER_HBA)
		xstrset(&LAST(s->top_adapters, s->n_top_adapters)->to, text);
	else if (id == S_TOP_DEVICE_LUN)
		xstrset(&LAST(s->top_devices, s->n_top_devices)->to, text);
	else if (id == S_TOP_PATH_ADAPTER)
		xstrset(&LAST(s->top_paths, s->n_top_paths)->adapter, text);
	else if (id == S_TOP_PATH_TARGET)
		xstrset(&LAST(s->top_paths, s->n_top_paths)->target, text);
	else if (id == S_TOP_PATH_DEVICE)
		xstrset(&LAST(s->top_paths, s->n_top_paths)->device, text);
}

static void
close_controller(struct storage *s, unsigned id, const char *text)
{
	struct controller *c = LAST(s->controllers, s->n_controllers);

	if (id == S_NVME_NQN)
		xstrset(&c->nqn, text);
	else if (id == S_NVME_TRANSPORT)
		c->protocol = transport_of_nvme(text);
	else if (id == S_NVME_NAMESPACE)
		strings_add(&c->namespaces, text);
}

void
storage_close(struct storage *s, unsigned id, const char *text)
{
	if (id <= S_HBA_PROTOCOL) {
		close_hba(s, id, text);
	} else if (id <= S_LUN_PROTOCOL) {
		close_lun(s, id, text);
	} else if (id == S_UNIT_LUN) {
		xstrset(&s->unit_lun, text);
	} else if (id == S_UNIT) {
		for (size_t i = s->unit_first; i < s->n_paths; i++)
			xstrset(&s->paths[i].lun, s->unit_lun);
	} else if (id == S_PATH_ADAPTER) {
		xstrset(&LAST(s->paths, s->n_paths)->adapter, text);
	} else if (id == S_ADDRESS) {
		strings_add(&s->target->via, text);
	} else if (id == S_WWPN) {
		add_wwpn(s->target, text);
	} else if (id >= S_NVME) {
		close_controller(s, id, text);
	} else {
		close_topology(s, id, text);
	}
}

/* ---- life ---- */

struct storage *
storage_new(void)
{
	return xcalloc(1, sizeof(struct storage));
}

static void
free_links(struct link *links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(links[i].key);
		free(links[i].to);
	}
	free(links);
}

static void
free_targets(struct storage *s)
{
	for (size_t i = 0; i < s->n_paths; i++) {
		free(s->paths[i].lun);
		free(s->paths[i].adapter);
		strings_fini(&s->paths[i].target.via);
	}
	free(s->paths);
	for (size_t i = 0; i < s->n_top_targets; i++) {
		free(s->top_targets[i].key);
		strings_fini(&s->top_targets[i].via);
	}
	free(s->top_targets);
}

void
storage_reset(struct storage *s)
{
	for (size_t i = 0; i < s->n_hbas; i++)
		free(s->hbas[i].key);
	free(s->hbas);
	for (size_t i = 0; i < s->n_luns; i++) {
		free(s->luns[i].key);
		free(s->luns[i].name);
	}
	free(s->luns);
	free_targets(s);
	free_links(s->top_adapters, s->n_top_adapters);
	free_links(s->top_devices, s->n_top_devices);
	for (size_t i = 0; i < s->n_top_paths; i++) {
		free(s->top_paths[i].adapter);
		free(s->top_paths[i].target);
		free(s->top_paths[i].device);
	}
	free(s->top_paths);
	for (size_t i = 0; i < s->n_controllers; i++) {
		free(s->controllers[i].nqn);
		strings_fini(&s->controllers[i].namespaces);
	}
	free(s->controllers);
	free(s->unit_lun);
	*s = (struct storage){ 0 };
}

void
storage_free(struct storage **s)
{
	if (*s == NULL)
		return;
	storage_reset(*s);
	free(*s);
	*s = NULL;
}
