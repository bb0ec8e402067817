#include "storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
storage_adapters(const struct protocol_row *proto)
{
	return proto->paths >= 4 ? 2 : 1;
}

void
storage_adapter_name(const struct protocol_row *proto, int n, char out[32])
{
	snprintf(out, 32, "vmhba%d",
		 (int)strtol(proto->hba_device + strlen("vmhba"), NULL, 10) +
			 n);
}

/* Path n of a LUN: adapters take turns, then targets. */
void
storage_path_name(const struct protocol_row *proto, int n, int64_t lun_id,
		  char out[64])
{
	char adapter[32];
	int adapters = storage_adapters(proto);

	storage_adapter_name(proto, n % adapters, adapter);
	if (strcmp(proto->name, "local") == 0)
		snprintf(out, 64, "%s:C0:T%lld:L0", adapter, (long long)lun_id);
	else
		snprintf(out, 64, "%s:C0:T%d:L%lld", adapter, n / adapters,
			 (long long)lun_id);
}

void
storage_iqn(const struct scene_host *h, char out[128])
{
	snprintf(out, 128, "iqn.1998-01.com.vmware:%s-%.8s", h->name, h->uuid);
}

int64_t
storage_host_wwn(const struct scene *s, const struct scene_host *h, int n,
		 bool port)
{
	uint64_t a = scene_hash(s, h->uuid, 7) & 0xffffffU;

	return (int64_t)((port ? 0x1000000000000000ULL
			       : 0x2000000000000000ULL) |
			 0x0090faULL << 24 | (a & 0xfffff0U) | (unsigned)n);
}

int64_t
storage_target_wwn(const struct scene_lun *l, int n, bool port)
{
	return (int64_t)(port ? l->wwpn + (unsigned)n : l->wwpn & ~0xffULL);
}

void
storage_path_uid(const struct scene *s, const struct scene_ds *d,
		 const struct scene_lun *l, const struct pair *p, int n,
		 char out[512])
{
	const struct scene_host *h = &s->hosts[p->host];
	const char *t = p->proto->transport_type;
	char a[128], path[64];

	(void)d;
	if (strstr(t, "InternetScsi") != NULL) {
		storage_iqn(h, a);
		snprintf(out, 512, "%s-00023d%06d,%s,t,1-%s", a, n + 1,
			 l->array, l->name);
	} else if (strstr(t, "FibreChannel") != NULL) {
		snprintf(out, 512, "fc.%016llx:%016llx-fc.%016llx:%016llx-%s",
			 (unsigned long long)storage_host_wwn(s, h, n, false),
			 (unsigned long long)storage_host_wwn(s, h, n, true),
			 (unsigned long long)storage_target_wwn(l, n, false),
			 (unsigned long long)storage_target_wwn(l, n, true),
			 l->name);
	} else {
		storage_path_name(p->proto, n, d->lun_id, path);
		snprintf(out, 512, "%s-%s", path, l->name);
	}
}
