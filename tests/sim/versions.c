#include "versions.h"

#include <string.h>

#include "schema.h"

/* Newest first, as published. */
static const char *const known[] = {
	"9.0.0.0", "8.0.3.0", "8.0.2.0", "8.0.1.0", "8.0.0.2", "8.0.0.1",
	"8.0.0.0", "7.0.3.2", "7.0.3.1", "7.0.3.0", "7.0.2.1", "7.0.2.0",
	"7.0.1.1", "7.0.1.0", "7.0.0.2", "7.0.0.0", "6.9.1",   "6.8.7",
	"6.7.3",   "6.7.2",   "6.7.1",   "6.7",     "6.5",     "6.0",
	"5.5",     "5.1",     "5.0",     "4.1",     "4.0",
};

void
versions_xml(const struct scene *s, struct buf *out)
{
	uint32_t ours = version_parse(s->server.api);
	const char *top = s->server.hidden_version;

	buf_adds(out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>"
		 "<namespaces version=\"1.0\"><namespace>"
		 "<name>urn:vim25</name><version>");
	buf_adds(out, top != NULL ? top : s->server.api);
	buf_adds(out, "</version><priorVersions>");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint32_t v = version_parse(known[i]);

		if (v < ours || (v == ours && top != NULL))
			buf_addf(out, "<version>%s</version>", known[i]);
	}
	buf_adds(out, "</priorVersions></namespace></namespaces>\n");
}
