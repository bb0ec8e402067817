/*
 * Answers made anonymous: whatever comes in, it ends, does not grow much, and
 * is the same the next time; and a document stays a document.
 */
#include "fuzz.h"

#include <string.h>

#include "../../collectors/vsphere/anon.h"
#include "../../collectors/vsphere/xml.h"

static void
make(struct buf *out, const uint8_t *data, size_t size)
{
	struct anon *a = anon_new();

	buf_init(out, size * 3 + 64);
	anon_xml(a, out, (const char *)data, size);
	assert(!out->full);
	anon_free(&a);
}

static bool
is_document(const char *data, size_t size)
{
	static const struct xml_node any[] = { { "*", 0, NULL },
					       { NULL, 0, NULL } };
	static const struct xml_ops none = { NULL, NULL };
	struct xml *x = xml_new(any, &none, NULL, &(struct xml_limits){ 0 });
	struct err e;
	bool ok = xml_feed(x, data, size, &e) == 0 && xml_finish(x, &e) == 0;

	xml_free(&x);
	return ok;
}

/* What vSphere sends, and anon.h promises to handle. */
static bool
is_utf8(const uint8_t *data, size_t size)
{
	static const char says[] = "encoding=", utf8[] = "encoding=\"UTF-8\"";

	return memchr(data, 0, size) == NULL &&
		(memmem(data, size, says, strlen(says)) == NULL ||
		 memmem(data, size, utf8, strlen(utf8)) != NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once, twice;

	make(&once, data, size);
	make(&twice, data, size);
	assert(once.len == twice.len &&
	       memcmp(buf_str(&once), buf_str(&twice), once.len) == 0);
	if (size > 0 && is_utf8(data, size) &&
	    is_document((const char *)data, size))
		assert(is_document(buf_str(&once), once.len));
	buf_fini(&once);
	buf_fini(&twice);
	return 0;
}
