/*
 * The XML half of anon.h: which texts of an answer are replaced.
 *
 * Not the parser of xml.h: what is written down shall be what came, byte for
 * byte but for the texts, even if it is broken.
 */
#include <string.h>

#include "anon.h"

#define MAX_DEPTH 64
#define NAME_BYTES 64

struct element {
	char name[NAME_BYTES]; /* local, cut */
	bool is_moref;         /* has a type of its own: a reference */
};

struct scan {
	struct anon *anon;
	struct buf *out;
	struct element stack[MAX_DEPTH];
	size_t depth;              /* may be more than MAX_DEPTH */
	char property[NAME_BYTES]; /* of the propSet, its last component */
	/* a PerfCounterInfo is being written */
	size_t counter_start, counter_depth;
	bool counter_wanted;
};

/* Elements, and properties, whose text is of a closed set of vSphere's or a
 * maker's, and says nothing about the owner. */
static const char *const public_leaves[] = {
	"accessMode",
	"apiType",
	"apiVersion",
	"build",
	"chapAuthenticationType",
	"connectionState",
	"deviceType",
	"discoveryMethod",
	"driver",
	"faultcode",
	"fileSystemType",
	"inaccessibleReason",
	"lunType",
	"maintenanceMode",
	"model",
	"mutualChapAuthenticationType",
	"namespace",
	"networkBindingSupport",
	"operationalState",
	"overallStatus",
	"path_selection",
	"pathState",
	"policy",
	"portType",
	"powerState",
	"privilegeId",
	"property",
	"protocol",
	"quality",
	"revision",
	"scsiDiskType",
	"securityType",
	"standbyMode",
	"state",
	"status",
	"storageProtocol",
	"transportType",
	"type",
	"unmapPriority",
	"vendor",
	"version",
	"vStorageSupport",
};
/* These are private even if they look like a number or a date. */
static const char *const private_leaves[] = {
	"name",
	"instance",
	"key",
	"uuid",
	"address",
	"url",
	"userName",
	"fullName",
	"email",
	"serverGuid",
	"remotePath",
	"remoteHost",
	"diskName",
	"canonicalName",
	"displayName",
	"iScsiName",
	"iScsiAlias",
	"faultstring",
	"localizedMessage",
	"message",
	"token",
};
/* Everything inside is vSphere's own. */
static const char *const public_trees[] = { "PerfCounterInfo", "about",
					    "namespaces" };
static const char *const wanted_groups[] = { "datastore",   "disk",
					     "nfs",         "storageAdapter",
					     "storagePath", "vvol" };

static bool
is_in(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}
#define IS_IN(word, list) is_in((word), (list), ARRAY_SIZE(list))

static const struct element *
above(const struct scan *s, size_t n)
{
	static const struct element none;

	return s->depth > n && s->depth <= MAX_DEPTH
		? &s->stack[s->depth - 1 - n]
		: &none;
}

/* ---- what may stay ------------------------------------------------------ */

static bool
only(const char *text, size_t len, const char *allowed)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(allowed, text[i]) == NULL || text[i] == '\0')
			return false;
	return true;
}

/* Numbers with commas between them; of more than 16 digits only where values
 * of counters are (a world wide name has more). */
static bool
is_numbers(const char *text, size_t len, bool any_size)
{
	size_t digits = 0, points = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == ',') {
			digits = points = 0;
			continue;
		}
		digits += text[i] >= '0' && text[i] <= '9';
		points += text[i] == '.';
		if (points > 1 || (digits > 16 && !any_size) ||
		    strchr("0123456789.-", text[i]) == NULL)
			return false;
	}
	return true;
}

/* Dates, and the stamps of QueryPerf: "20,2026-11-30T12:00:00Z,..." */
static bool
is_dates(const char *text, size_t len)
{
	return memchr(text, 'T', len) != NULL &&
		memchr(text, ':', len) != NULL &&
		only(text, len, "0123456789TZ:+.,-");
}

static bool
is_plain_value(const struct scan *s, const char *text, size_t len)
{
	bool in_values = strcmp(above(s, 0)->name, "value") == 0 &&
		strcmp(above(s, 1)->name, "value") == 0;

	return is_numbers(text, len, in_values) || is_dates(text, len) ||
		(len == 4 && memcmp(text, "true", 4) == 0) ||
		(len == 5 && memcmp(text, "false", 5) == 0);
}

/* "host-1001", "group-d1", "ha-folder-root"; on ESXi a datastore's reference
 * is its path or uuid, which is private. */
static bool
is_plain_moref(const char *text, size_t len)
{
	size_t digits = 0;

	while (digits < len && text[len - 1 - digits] >= '0' &&
	       text[len - 1 - digits] <= '9')
		digits++;
	return digits <= 7 &&
		only(text, len - digits,
		     "abcdefghijklmnopqrstuvwxyz"
		     "ABCDEFGHIJKLMNOPQRSTUVWXYZ-");
}

static bool
is_fault_name(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && strcmp(name + n - 5, "Fault") == 0;
}

static bool
in_public_tree(const struct scan *s)
{
	for (size_t i = 0; i < MIN(s->depth, MAX_DEPTH); i++)
		if (IS_IN(s->stack[i].name, public_trees))
			return true;
	return false;
}

static bool
may_stay(const struct scan *s, const char *text, size_t len)
{
	const struct element *e = above(s, 0), *parent = above(s, 1);
	const char *leaf = e->name;

	if (in_public_tree(s))
		return strcmp(leaf, "instanceUuid") != 0;
	if (strcmp(leaf, "name") == 0 &&
	    (strcmp(parent->name, "propSet") == 0 ||
	     is_fault_name(parent->name)))
		return true;
	if (strcmp(leaf, "path") == 0 &&
	    strcmp(parent->name, "missingSet") == 0)
		return true;
	if (e->is_moref)
		return is_plain_moref(text, len);
	if (strcmp(leaf, "val") == 0)
		leaf = s->property;
	if (IS_IN(leaf, public_leaves))
		return true;
	return !IS_IN(leaf, private_leaves) && is_plain_value(s, text, len);
}

/* ---- counters of other groups are cut out again ------------------------- */

static void
counter_open(struct scan *s, size_t start)
{
	if (strcmp(above(s, 0)->name, "PerfCounterInfo") != 0)
		return;
	s->counter_start = start;
	s->counter_depth = s->depth;
	s->counter_wanted = false;
}

static void
counter_text(struct scan *s, const char *text, size_t len)
{
	char group[NAME_BYTES];

	if (strcmp(above(s, 0)->name, "key") != 0 ||
	    strcmp(above(s, 1)->name, "groupInfo") != 0 || len >= NAME_BYTES)
		return;
	memcpy(group, text, len);
	group[len] = '\0';
	s->counter_wanted = IS_IN(group, wanted_groups);
}

/* Behind its end tag. */
static void
counter_close(struct scan *s)
{
	if (s->counter_depth == 0 || s->depth >= s->counter_depth)
		return;
	s->counter_depth = 0;
	if (s->counter_wanted || s->out->full)
		return;
	s->out->len = s->counter_start;
	s->out->data[s->out->len] = '\0';
}

/* ---- tags and texts ----------------------------------------------------- */

static void
copy_name(char out[NAME_BYTES], const char *name, size_t len)
{
	const char *colon = memchr(name, ':', len);

	if (colon != NULL) {
		len -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	len = MIN(len, NAME_BYTES - 1);
	memcpy(out, name, len);
	out[len] = '\0';
}

/* Attributes that are types and namespaces stay, others do not. */
static bool
attribute_may_stay(const char *name, size_t len)
{
	return (len >= 5 && memcmp(name, "xmlns", 5) == 0) ||
		(len == 4 && memcmp(name, "type", 4) == 0) ||
		(len > 5 && memcmp(name + len - 5, ":type", 5) == 0) ||
		(len == 9 && memcmp(name, "versionId", 9) == 0);
}

/* The rest of a start tag, from behind its name to ">". */
static void
add_attributes(struct scan *s, const char *p, const char *end,
	       struct element *e)
{
	while (p < end) {
		size_t left = (size_t)(end - p);
		const char *eq = memchr(p, '=', left), *name = p, *close;
		size_t n;

		if (eq == NULL || eq + 1 >= end ||
		    (eq[1] != '"' && eq[1] != '\''))
			break;
		close = memchr(eq + 2, eq[1], (size_t)(end - eq - 2));
		if (close == NULL)
			break;
		while (name < eq && strchr(" \t\r\n", *name) != NULL)
			name++;
		n = (size_t)(eq - name);
		buf_add(s->out, p, (size_t)(eq + 2 - p));
		if (attribute_may_stay(name, n))
			buf_add(s->out, eq + 2, (size_t)(close - eq - 2));
		else
			anon_text(s->anon, s->out, eq + 2,
				  (size_t)(close - eq - 2));
		e->is_moref |= n == 4 && memcmp(name, "type", 4) == 0;
		buf_addc(s->out, *close);
		p = close + 1;
	}
	/* "/" and ">"; anything else is broken and may be private */
	for (; p < end; p++)
		if (*p == '/' || *p == '>' || *p == ' ')
			buf_addc(s->out, *p);
}

static void
start_tag(struct scan *s, const char *tag, const char *end)
{
	size_t n = strcspn(tag + 1, " \t\r\n/>"), start = s->out->len;
	struct element e = { .is_moref = false };

	copy_name(e.name, tag + 1, n);
	buf_add(s->out, tag, n + 1);
	add_attributes(s, tag + 1 + n, end, &e);
	if (end - tag >= 2 && end[-2] == '/')
		return;
	if (s->depth < MAX_DEPTH)
		s->stack[s->depth] = e;
	s->depth++;
	counter_open(s, start);
}

static void
add_tag(struct scan *s, const char *tag, const char *end)
{
	if (tag[1] != '/') {
		start_tag(s, tag, end);
		return;
	}
	buf_add(s->out, tag, (size_t)(end - tag));
	if (s->depth > 0)
		s->depth--;
	counter_close(s);
}

static void
add_text(struct scan *s, const char *text, size_t len)
{
	const struct element *e = above(s, 0);

	if (only(text, len, " \t\r\n") || may_stay(s, text, len))
		buf_add(s->out, text, len);
	else
		anon_text(s->anon, s->out, text, len);
	counter_text(s, text, len);
	if (strcmp(e->name, "name") == 0 &&
	    strcmp(above(s, 1)->name, "propSet") == 0) {
		const char *dot = memrchr(text, '.', len);
		size_t skip = dot != NULL ? (size_t)(dot + 1 - text) : 0;

		copy_name(s->property, text + skip, len - skip);
	}
}

/* Behind the ">" that ends the tag, quotes minded; NULL: there is none. */
static const char *
tag_end(const char *tag, const char *end)
{
	char quote = '\0';

	for (const char *p = tag + 1; p < end; p++) {
		if (quote == '\0' && *p == '>')
			return p + 1;
		if (quote == '\0' && (*p == '"' || *p == '\''))
			quote = *p;
		else if (quote == *p)
			quote = '\0';
	}
	return NULL;
}

enum stays { STAYS_NOT, STAYS_EDGES, STAYS_WHOLE };

/* What begins with "<" and is no tag.  Text between edges becomes a pseudonym
 * of its own, whatever element it is in. */
static const struct section {
	const char *begin, *end;
	enum stays stays;
} sections[] = {
	{ "<?xml ", "?>", STAYS_WHOLE }, { "<![CDATA[", "]]>", STAYS_EDGES },
	{ "<!--", "-->", STAYS_NOT },    { "<?", "?>", STAYS_NOT },
	{ "<!", ">", STAYS_NOT },
};

static const struct section *
section_at(const char *p, const char *end)
{
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		size_t n = strlen(sections[i].begin);

		if ((size_t)(end - p) >= n &&
		    memcmp(p, sections[i].begin, n) == 0)
			return &sections[i];
	}
	return NULL;
}

/* Returns what is behind it; NULL when it has no end. */
static const char *
add_section(struct scan *s, const struct section *x, const char *p,
	    const char *end)
{
	const char *inner = p + strlen(x->begin);
	size_t n_end = strlen(x->end);
	const char *last = memmem(inner, (size_t)(end - inner), x->end, n_end);

	if (last == NULL)
		return NULL;
	if (x->stays == STAYS_WHOLE) {
		buf_add(s->out, p, (size_t)(last + n_end - p));
	} else if (x->stays == STAYS_EDGES) {
		buf_adds(s->out, x->begin);
		anon_text(s->anon, s->out, inner, (size_t)(last - inner));
		buf_adds(s->out, x->end);
	}
	return last + n_end;
}

/* From a "<" on; returns what is behind it, NULL when it is cut off: what is
 * there may be private. */
static const char *
add_markup(struct scan *s, const char *p, const char *end)
{
	const struct section *x = section_at(p, end);
	const char *next;

	if (x != NULL)
		return add_section(s, x, p, end);
	next = tag_end(p, end);
	if (next != NULL)
		add_tag(s, p, next);
	return next;
}

void
anon_xml(struct anon *a, struct buf *out, const char *xml, size_t len)
{
	struct scan s = { .anon = a, .out = out };
	const char *end = xml + len;

	if (memchr(xml, '\0', len) != NULL) { /* UTF-16: no words in there */
		buf_adds(out, "(not UTF-8, so not shown)");
		return;
	}
	if (len >= 3 && memcmp(xml, "\xef\xbb\xbf", 3) == 0) {
		buf_add(out, xml, 3); /* a byte order mark */
		xml += 3;
	}
	while (xml != NULL && xml < end && !out->full) {
		const char *tag = memchr(xml, '<', (size_t)(end - xml));

		if (tag == NULL)
			tag = end;
		if (tag > xml)
			add_text(&s, xml, (size_t)(tag - xml));
		xml = tag < end ? add_markup(&s, tag, end) : end;
	}
}
