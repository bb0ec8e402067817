#include "classify.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dslat/mem.h"

#define BACKING_MAX_BYTES ((size_t)4096)
#define SHOWN_MAX ((size_t)8) /* portals or devices named in a backing */

void
datastore_facts_fini(struct datastore_facts *f)
{
	free(f->fs);
	free(f->info_type);
	free(f->nas_type);
	free(f->nas_host);
	free(f->nas_path);
	free(f->container);
	strings_fini(&f->nas_hosts);
	strings_fini(&f->extents);
	strings_fini(&f->endpoint_types);
	strings_fini(&f->endpoint_devices);
	strings_fini(&f->endpoint_exports);
	*f = (struct datastore_facts){ 0 };
}

/* What decides how the protocol is found. */
enum kind { KIND_UNKNOWN, KIND_NAS, KIND_VMFS, KIND_VVOL, KIND_FIXED };

/* summary.type and the type of info, either of which may be missing. */
static const struct {
	const char *fs, *info_type;
	enum kind kind;
	enum protocol protocol;
} kinds[] = {
	{ "NFS", "NasDatastoreInfo", KIND_NAS, PROTO_NFS3 },
	{ "NFS41", NULL, KIND_NAS, PROTO_NFS41 },
	{ "CIFS", NULL, KIND_NAS, PROTO_CIFS },
	{ "vsan", "VsanDatastoreInfo", KIND_FIXED, PROTO_VSAN },
	{ "vsanD", NULL, KIND_FIXED, PROTO_VSAN },
	{ "PMEM", "PMemDatastoreInfo", KIND_FIXED, PROTO_PMEM },
	{ "VFFS", NULL, KIND_FIXED, PROTO_LOCAL }, /* flash inside the host */
	{ "VVOL", "VvolDatastoreInfo", KIND_VVOL, PROTO_VVOL },
	{ "VMFS", "VmfsDatastoreInfo", KIND_VMFS, PROTO_UNKNOWN },
	{ "OTHER", "LocalDatastoreInfo", KIND_FIXED, PROTO_LOCAL },
};

static bool
same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcasecmp(a, b) == 0;
}

/* The row, or the number of rows: NAS by its info first, all others by summary.type. */
static size_t
find_kind(const struct datastore_facts *f)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (same(f->fs, kinds[i].fs) &&
		    (kinds[i].kind == KIND_NAS ||
		     !same(f->info_type, "NasDatastoreInfo")))
			return i;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (same(f->info_type, kinds[i].info_type))
			return i;
	return i;
}

/* nas.type says more than summary.type. */
static enum protocol
nas_protocol(const struct datastore_facts *f, size_t row)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == KIND_NAS && same(f->nas_type, kinds[i].fs))
			return kinds[i].protocol;
	return kinds[row].protocol;
}

static uint32_t
bit(enum protocol p)
{
	return p != PROTO_UNKNOWN ? 1u << p : 0;
}

/* How one host reaches one device. */
static uint32_t
device_protocols(const struct device *d, bool is_nvme)
{
	uint32_t mask = is_nvme || d->in_nvme_topology ? d->protocols_if_nvme
						       : d->protocols;

	mask &= ~(1u << PROTO_UNKNOWN);
	return mask != 0 ? mask : d->nvme_transports;
}

static uint32_t
block_protocols(const struct datastore_facts *f,
		const struct device *const *devices, size_t n)
{
	bool is_local = f->vmfs_local == YES;
	uint32_t mask = 0;

	for (size_t i = 0; i < n; i++) {
		mask |= device_protocols(devices[i], f->endpoint_is_nvme);
		is_local = is_local || devices[i]->local == YES;
	}
	if (mask == 0 && is_local)
		mask = bit(PROTO_LOCAL);
	return mask;
}

/* What the endpoints add to vvol. */
static uint32_t
endpoint_protocols(const struct datastore_facts *f,
		   const struct device *const *devices, size_t n)
{
	uint32_t mask = block_protocols(f, devices, n);

	for (size_t i = 0; i < f->endpoint_types.n; i++)
		if (same(f->endpoint_types.v[i], "nfs"))
			mask |= bit(PROTO_NFS3);
		else if (same(f->endpoint_types.v[i], "nfs4x"))
			mask |= bit(PROTO_NFS41);
	return mask;
}

static void
set_protocols(struct inv_datastore *ds, uint32_t mask)
{
	ds->protocols = mask;
	ds->protocol = PROTO_UNKNOWN;
	ds->protocol_known = mask != 0;
	if ((mask & (mask - 1)) != 0) {
		ds->protocol = PROTO_MIXED;
		return;
	}
	for (unsigned p = 0; p < N_PROTOCOLS; p++)
		if (mask == 1u << p)
			ds->protocol = (enum protocol)p;
}

/* An IPv6 address is told from the path by its brackets. */
static void
add_server(struct strings *servers, const char *host)
{
	char *s;

	if (host == NULL || strchr(host, ':') == NULL || host[0] == '[' ||
	    strchr(host, ',') != NULL) {
		strings_add(servers, host);
		return;
	}
	s = xasprintf("[%s]", host);
	strings_add(servers, s);
	free(s);
}

static void
nas_backing(const struct datastore_facts *f, struct buf *b)
{
	struct strings servers = { 0 };

	for (size_t i = 0; i < f->nas_hosts.n; i++)
		add_server(&servers, f->nas_hosts.v[i]);
	if (servers.n == 0)
		add_server(&servers, f->nas_host);
	strings_join(&servers, b, ",", SHOWN_MAX);
	if (servers.n != 0 && f->nas_path != NULL) {
		buf_addc(b, ':');
		buf_adds(b, f->nas_path);
	}
	strings_fini(&servers);
}

/* "naa.1, naa.2 via 10.0.0.5:3260, 10.0.0.6:3260" */
static void
block_backing(const struct strings *names, const struct device *const *devices,
	      size_t n, struct buf *b)
{
	struct strings via = { 0 };

	strings_join(names, b, ", ", SHOWN_MAX);
	for (size_t i = 0; i < n; i++)
		strings_add_all(&via, &devices[i]->via);
	if (via.n != 0) {
		buf_adds(b, " via ");
		strings_join(&via, b, ", ", SHOWN_MAX);
	}
	strings_fini(&via);
}

static void
vvol_backing(const struct datastore_facts *f,
	     const struct device *const *devices, size_t n, struct buf *b)
{
	if (f->endpoint_exports.n != 0)
		strings_join(&f->endpoint_exports, b, ", ", SHOWN_MAX);
	else if (f->endpoint_devices.n != 0)
		block_backing(&f->endpoint_devices, devices, n, b);
	else if (f->container != NULL)
		buf_adds(b, f->container);
}

const struct strings *
classify_devices(const struct datastore_facts *f)
{
	return f->extents.n != 0 ? &f->extents : &f->endpoint_devices;
}

void
classify(const struct datastore_facts *f, const struct device *const *devices,
	 size_t n_devices, struct inv_datastore *ds)
{
	size_t row = find_kind(f);
	struct buf b;

	set_protocols(ds, 0);
	if (row == ARRAY_SIZE(kinds))
		return;
	buf_init(&b, BACKING_MAX_BYTES);
	switch (kinds[row].kind) {
	case KIND_NAS:
		set_protocols(ds, bit(nas_protocol(f, row)));
		nas_backing(f, &b);
		break;
	case KIND_VMFS:
		set_protocols(ds, block_protocols(f, devices, n_devices));
		block_backing(&f->extents, devices, n_devices, &b);
		break;
	case KIND_VVOL:
		set_protocols(ds, bit(PROTO_VVOL));
		ds->protocols |= endpoint_protocols(f, devices, n_devices);
		vvol_backing(f, devices, n_devices, &b);
		break;
	default:
		set_protocols(ds, bit(kinds[row].protocol));
		break;
	}
	/* Without the paths, which are not read every time, it is a guess. */
	if (n_devices == 0 && classify_devices(f)->n != 0)
		ds->protocol_known = false;
	if (b.len != 0)
		ds->backing = buf_take(&b);
	buf_fini(&b);
}

char *
classify_uuid(const char *url)
{
	size_t n = url != NULL ? strlen(url) : 0, first;

	while (n > 0 && url[n - 1] == '/')
		n--;
	if (n > 0 && url[n - 1] == ':') /* "ds:///" */
		return NULL;
	for (first = n; first > 0 && url[first - 1] != '/'; first--)
		;
	return first < n ? xstrndup(url + first, n - first) : NULL;
}
