#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "strict.h"

struct option {
	const char *key, *type, *value;
};

/* Defaults of an 8.0U3 host. */
static const struct option host_options[] = {
	{ "NFS.SendBufferSize", "long", "1024" },
	{ "NFS.ReceiveBufferSize", "long", "1024" },
	{ "NFS.MaxQueueDepth", "long", "4294967295" },
	{ "NFS.HeartbeatFrequency", "long", "12" },
	{ "NFS.HeartbeatTimeout", "long", "5" },
	{ "NFS.HeartbeatMaxFailures", "long", "10" },
	{ "NFS.MaxVolumes", "long", "32" },
	{ "NFS41.MaxVolumes", "long", "32" },
	{ "SunRPC.MaxConnPerIP", "long", "32" },
	{ "Net.TcpipHeapSize", "long", "8" },
	{ "Net.TcpipHeapMax", "long", "1024" },
	{ "ISCSI.MaxIoSizeKB", "long", "128" },
	{ "Disk.QFullSampleSize", "long", "32" },
	{ "Disk.QFullThreshold", "long", "8" },
	{ "VMFS3.HardwareAcceleratedLocking", "long", "1" },
	{ "Misc.APDHandlingEnable", "long", "1" },
	{ "Misc.APDTimeout", "long", "140" },
};

static const struct option server_options[] = {
	{ "VirtualCenter.VimApiUrl", "string", "https://vcenter/sdk" },
	{ "event.maxAge", "int", "30" },
	{ "config.vpxd.stats.maxQueryMetrics", "string", NULL },
};

/* "NFS." names a subtree, "" everything, else one key. */
static bool
matches(const char *name, const char *key)
{
	size_t len = strlen(name);

	if (len == 0)
		return true;
	return name[len - 1] == '.' ? strncmp(key, name, len) == 0
				    : strcmp(key, name) == 0;
}

static bool
is_host_manager(const char *id)
{
	return strncmp(id, "EsxHostAdvSettings-", 19) == 0 ||
		strcmp(id, "ha-adv-options") == 0;
}

static int
add(struct call *c, const struct option *o)
{
	char text[32];
	const char *value = o->value;

	if (value == NULL) {
		if (c->sim->scene.server.max_query_metrics == 0)
			return 0;
		snprintf(text, sizeof(text), "%" PRId64,
			 c->sim->scene.server.max_query_metrics);
		value = text;
	}
	buf_addf(c->out,
		 "<returnval><key>%s</key><value xsi:type=\"xsd:%s\">%s"
		 "</value></returnval>",
		 o->key, o->type, value);
	return 1;
}

int
options_query(struct call *c)
{
	const char *id = soap_child_text(&c->req, c->req.method, "_this");
	const char *name = soap_child_text(&c->req, c->req.method, "name");
	bool host = id != NULL && is_host_manager(id);
	const struct option *o = host ? host_options : server_options;
	size_t n = host ? ARRAY_SIZE(host_options) : ARRAY_SIZE(server_options);
	int found = 0;
	char inner[256];

	if (!host && strict_this(c, "OptionManager") != 0)
		return -1;
	buf_adds(c->out, "<QueryOptionsResponse xmlns=\"urn:vim25\">");
	for (size_t i = 0; i < n; i++)
		if (matches(name != NULL ? name : "", o[i].key))
			found += add(c, &o[i]);
	buf_adds(c->out, "</QueryOptionsResponse>");
	if (found > 0)
		return 0;
	snprintf(inner, sizeof(inner), "<name>%.200s</name>",
		 name != NULL ? name : "");
	return soap_fault_set(&c->fault, "InvalidName", inner,
			      "The name is not valid.");
}

void
options_props(struct call *c, struct tree *t, struct node *root)
{
	(void)c;
	for (size_t i = 0; i < ARRAY_SIZE(server_options); i++) {
		struct node *n;

		if (server_options[i].value == NULL)
			continue;
		n = tree_obj(t, root, "setting", "OptionValue");
		tree_str(t, n, "key", server_options[i].key);
		tree_str(t, n, "value", server_options[i].value);
		n->last->simple_type = server_options[i].type;
	}
}
