#include "versions.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

#include "xsd.h"

enum { V_NAMESPACE = 1, V_NAME, V_VERSION };

/* Ascending.  Ends with the highest whose answers were looked at. */
static const char *const known[] = {
	"4.0",     "4.1",     "5.0",     "5.1",     "5.5",     "6.0",
	"6.5",     "6.7",     "6.7.1",   "6.7.2",   "6.7.3",   "6.8.7",
	"6.9.1",   "7.0.0.0", "7.0.0.2", "7.0.1.0", "7.0.1.1", "7.0.2.0",
	"7.0.2.1", "7.0.3.0", "7.0.3.1", "7.0.3.2", "8.0.0.0", "8.0.0.1",
	"8.0.0.2", "8.0.1.0", "8.0.2.0", "8.0.3.0",
};

/* Indices into known, one too high; 0: none. */
struct versions {
	size_t best;    /* of urn:vim25 */
	size_t current; /* of the namespace being read */
	bool is_vim;
};

static size_t
find(const char *version)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i], version) == 0)
			return i + 1;
	return 0;
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len unused,
	 struct err *e unused)
{
	struct versions *v = arg;

	if (id == V_NAME) {
		v->is_vim = strcmp(text, SOAP_VIM_NS) == 0;
	} else if (id == V_VERSION) {
		v->current = MAX(v->current, find(text));
	} else {
		if (v->is_vim)
			v->best = MAX(v->best, v->current);
		v->current = 0;
		v->is_vim = false;
	}
	return 0;
}

static const struct xml_node prior_nodes[] = {
	{ "version", V_VERSION, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node namespace_nodes[] = {
	{ "name", V_NAME, NULL },
	{ "version", V_VERSION, NULL },
	{ "priorVersions", 0, prior_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node nodes[] = {
	{ "namespace", V_NAMESPACE, namespace_nodes },
	{ NULL, 0, NULL },
};
static const struct answer_method versions_method = {
	.name = "vimServiceVersions.xml",
	.root = "namespaces",
	.nodes = nodes,
	.close = on_close,
	.free = free,
};

struct answer *
versions_answer(void)
{
	return answer_new(&versions_method,
			  xcalloc(1, sizeof(struct versions)));
}

const char *
versions_get(const struct answer *r)
{
	const struct versions *v = answer_arg(r, &versions_method);

	return v->best != 0 ? known[v->best - 1] : NULL;
}

/* Like strcmp, number by number; a missing part counts as 0. */
static int
compare(const char *a, const char *b)
{
	int64_t x, y;

	while (*a != '\0' || *b != '\0') {
		x = y = 0;
		if (*a != '\0')
			a = xsd_i64(a, &x);
		if (*b != '\0')
			b = xsd_i64(b, &y);
		assert(a != NULL && b != NULL);
		if (x != y)
			return x < y ? -1 : 1;
		a += *a == '.';
		b += *b == '.';
	}
	return 0;
}

/* Digits, with single points between them. */
static bool
is_version(const char *s)
{
	size_t n;

	for (;; s++) {
		n = strspn(s, "0123456789");
		s += n;
		if (n == 0 || n > 9 || (*s != '.' && *s != '\0'))
			return false;
		if (*s == '\0')
			return true;
	}
}

const char *
versions_fallback(const char *api_version)
{
	const char *best = VERSIONS_DEFAULT;
	bool found = false;

	if (api_version == NULL || !is_version(api_version))
		return best;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (compare(known[i], api_version) <= 0) {
			best = known[i];
			found = true;
		}
	return found ? best : VERSIONS_DEFAULT;
}
