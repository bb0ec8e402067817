#include "dslat/side.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

static const char *const keys[N_SIDE_KEYS] = {
	[SIDE_FAMILY] = "family",       [SIDE_PROTOCOL] = "protocol",
	[SIDE_DATASTORE] = "datastore", [SIDE_HOST] = "host",
	[SIDE_CLUSTER] = "cluster",     [SIDE_TARGET] = "target",
};

const char *
side_key_name(enum side_key k)
{
	assert((size_t)k < N_SIDE_KEYS);
	return keys[k];
}

bool
side_key_of(const char *s, enum side_key *key_r, const char **value_r)
{
	for (enum side_key k = 0; k < N_SIDE_KEYS; k++) {
		size_t n = strlen(keys[k]);

		if (strncmp(s, keys[k], n) == 0 && s[n] == ':') {
			*key_r = k;
			*value_r = s + n + 1;
			return true;
		}
	}
	return false;
}

size_t
side_term_len(const char *s)
{
	enum side_key key;
	const char *value;
	size_t n = 0;

	for (;; n++) {
		n += strcspn(s + n, ",");
		if (s[n] == '\0' || side_key_of(s + n + 1, &key, &value))
			return n;
	}
}

bool
side_is_family(const char *name)
{
	for (enum protocol p = 0; p < N_PROTOCOLS; p++)
		if (strcmp(protocol_family(p), name) == 0)
			return true;
	return false;
}

static int
check_value(enum side_key key, const char *value, struct err *e)
{
	enum protocol p;

	if (*value == '\0')
		return err_set(e, ERR_USAGE, "nothing follows \"%s:\"",
			       keys[key]);
	if (key == SIDE_FAMILY && !side_is_family(value))
		return err_set(
			e, ERR_USAGE,
			"\"%s\" is no family of protocols; they are nfs, "
			"iscsi, fc, nvme, and protocols by themselves",
			value);
	if (key == SIDE_PROTOCOL && !protocol_from_name(value, &p))
		return err_set(e, ERR_USAGE,
			       "\"%s\" is no protocol, as nfs3, nfs41, iscsi, "
			       "fc or nvme-tcp are",
			       value);
	return 0;
}

static int
parse_term(const char *s, size_t len, struct side *side, struct err *e)
{
	const char *value;
	enum side_key key;

	if (!side_key_of(s, &key, &value))
		return err_set(e, ERR_USAGE,
			       "a side begins with family:, protocol:, "
			       "datastore:, host:, cluster: or target:, not "
			       "with \"%.*s\"",
			       (int)MIN(len, (size_t)100), s);
	if (side->value[key] != NULL)
		return err_set(e, ERR_USAGE, "%s: is given twice", keys[key]);
	side->value[key] = xstrndup(value, len - (size_t)(value - s));
	return check_value(key, side->value[key], e);
}

int
side_parse(const char *text, struct side *s, struct err *e)
{
	*s = (struct side){ .text = xstrdup(text) };
	for (;;) {
		size_t len = side_term_len(text);

		if (parse_term(text, len, s, e) != 0)
			return -1;
		if (text[len] == '\0')
			return 0;
		text += len + 1;
	}
}

void
side_fini(struct side *s)
{
	free(s->text);
	for (size_t k = 0; k < N_SIDE_KEYS; k++) {
		free(s->value[k]);
		free(s->label[k]);
	}
	*s = (struct side){ .text = NULL };
}

bool
side_matches(struct side *s, const struct side_pair *p)
{
	const char *const have[N_SIDE_KEYS] = {
		[SIDE_FAMILY] = protocol_family(p->protocol),
		[SIDE_PROTOCOL] = protocol_name(p->protocol),
		[SIDE_DATASTORE] = p->datastore,
		[SIDE_HOST] = p->host,
		[SIDE_CLUSTER] = p->cluster,
		[SIDE_TARGET] = p->target,
	};

	for (size_t k = 0; k < N_SIDE_KEYS; k++)
		if (s->value[k] != NULL &&
		    (have[k] == NULL || strcmp(s->value[k], have[k]) != 0))
			return false;
	if (s->value[SIDE_DATASTORE] != NULL && p->datastore_name != NULL)
		xstrset(&s->label[SIDE_DATASTORE], p->datastore_name);
	if (s->value[SIDE_HOST] != NULL && p->host_name != NULL)
		xstrset(&s->label[SIDE_HOST], p->host_name);
	return true;
}

/* As people write them; others as they are. */
static const char *
spelled(const char *protocol)
{
	static const char *const names[][2] = {
		{ "nfs", "NFS" },
		{ "nfs3", "NFS 3" },
		{ "nfs41", "NFS 4.1" },
		{ "cifs", "CIFS" },
		{ "iscsi", "iSCSI" },
		{ "iser", "iSER" },
		{ "fc", "Fibre Channel" },
		{ "fcoe", "FCoE" },
		{ "nvme", "NVMe" },
		{ "nvme-tcp", "NVMe/TCP" },
		{ "nvme-rdma", "NVMe/RDMA" },
		{ "nvme-fc", "NVMe/FC" },
		{ "nvme-pcie", "NVMe/PCIe" },
		{ "sas", "SAS" },
		{ "vsan", "vSAN" },
		{ "vvol", "vVol" },
		{ "pmem", "PMem" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i][0], protocol) == 0)
			return names[i][1];
	return protocol;
}

void
side_name(const struct side *s, struct buf *out)
{
	/* The first term as it is, the others behind these words. */
	static const struct {
		enum side_key key;
		const char *alone, *then;
	} parts[] = {
		{ SIDE_DATASTORE, "", "" },
		{ SIDE_PROTOCOL, "", " of " },
		{ SIDE_FAMILY, "", " of " },
		{ SIDE_HOST, "", " on " },
		{ SIDE_CLUSTER, "cluster ", " in cluster " },
		{ SIDE_TARGET, "target ", " of target " },
	};
	bool first = true;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		enum side_key k = parts[i].key;
		const char *text =
			s->label[k] != NULL ? s->label[k] : s->value[k];

		if (text == NULL)
			continue;
		if (k == SIDE_PROTOCOL || k == SIDE_FAMILY)
			text = spelled(text);
		buf_adds(out, first ? parts[i].alone : parts[i].then);
		buf_adds(out, text);
		first = false;
	}
}
