#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/depth.h"
#include "dslat/mem.h"

#include "props.h"
#include "xsd.h"

enum {
	C_ALL = 1,
	C_INFO,
	C_KEY,
	C_GROUP,
	C_NAME,
	C_ROLLUP,
	C_UNIT,
};

#define TIME (1u << UNIT_MILLISECOND | 1u << UNIT_MICROSECOND)
#define LUN(layer, op) (FIELD_LUN + (unsigned)(LAYER_##layer) * N_OPS + OP_##op)

/* What is wanted, what it becomes, and in which unit it makes sense.  Without
 * the LUNs' all is well: NFS has none, and a server need not have them. */
static const struct {
	const char *name; /* group.name.rollup */
	unsigned field;
	unsigned units; /* mask of 1 << enum unit */
} wanted[] = {
	{ "datastore.totalReadLatency.average", FIELD_US + OP_READ, TIME },
	{ "datastore.totalWriteLatency.average", FIELD_US + OP_WRITE, TIME },
	{ "datastore.numberReadAveraged.average", FIELD_IOS + OP_READ,
	  1u << UNIT_NUMBER },
	{ "datastore.numberWriteAveraged.average", FIELD_IOS + OP_WRITE,
	  1u << UNIT_NUMBER },
	{ "datastore.read.average", FIELD_KIB_PER_S + OP_READ,
	  1u << UNIT_KIB_PER_S },
	{ "datastore.write.average", FIELD_KIB_PER_S + OP_WRITE,
	  1u << UNIT_KIB_PER_S },
	{ "disk.deviceReadLatency.average", LUN(DEVICE, READ), TIME },
	{ "disk.deviceWriteLatency.average", LUN(DEVICE, WRITE), TIME },
	{ "disk.kernelReadLatency.average", LUN(KERNEL, READ), TIME },
	{ "disk.kernelWriteLatency.average", LUN(KERNEL, WRITE), TIME },
	{ "disk.queueReadLatency.average", LUN(QUEUE, READ), TIME },
	{ "disk.queueWriteLatency.average", LUN(QUEUE, WRITE), TIME },
	{ "disk.numberReadAveraged.average", FIELD_LUN_IOS + OP_READ,
	  1u << UNIT_NUMBER },
	{ "disk.numberWriteAveraged.average", FIELD_LUN_IOS + OP_WRITE,
	  1u << UNIT_NUMBER },
};

/* Longer names are none of ours. */
#define PART_BYTES 64

struct counters_arg {
	struct counters *c; /* NULL once taken */
	/* the PerfCounterInfo being read */
	int32_t id;
	bool has_id;
	char group[PART_BYTES], name[PART_BYTES], rollup[PART_BYTES];
	char unit[PART_BYTES];
};

static const struct xml_node name_nodes[] = {
	{ "key", C_NAME, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node group_nodes[] = {
	{ "key", C_GROUP, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node unit_nodes[] = {
	{ "key", C_UNIT, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node info_nodes[] = {
	{ "key", C_KEY, NULL },           { "nameInfo", 0, name_nodes },
	{ "groupInfo", 0, group_nodes },  { "unitInfo", 0, unit_nodes },
	{ "rollupType", C_ROLLUP, NULL }, { NULL, 0, NULL },
};
static const struct xml_node all_nodes[] = {
	{ "*", C_INFO, info_nodes },
	{ NULL, 0, NULL },
};
static const struct props_row rows[] = {
	{ "PerformanceManager", "perfCounter", C_ALL, 1, all_nodes },
	{ NULL, NULL, 0, 0, NULL },
};

static void
copy_part(char to[PART_BYTES], const char *text, size_t len)
{
	if (len >= PART_BYTES)
		len = 0;
	memcpy(to, text, len);
	to[len] = '\0';
}

/* name is "<group>.<name>.<rollup>". */
static bool
is_name(const char *name, const struct counters_arg *a)
{
	const char *const parts[] = { a->group, a->name, a->rollup };
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		n = strlen(parts[i]);
		if (strncmp(name, parts[i], n) != 0 ||
		    name[n] != (i + 1 < ARRAY_SIZE(parts) ? '.' : '\0'))
			return false;
		name += n + 1;
	}
	return true;
}

static void
add_counter(struct counters *c, int32_t id,
	    const struct ingest_counter *meaning)
{
	if (c->n == COUNTERS_MAX || counters_find(c, id) != NULL)
		return;
	c->list[c->n++] = (struct counter){
		.id = id,
		.asked = (c->field_mask & 1u << meaning->field) == 0,
		.meaning = *meaning,
	};
	c->field_mask |= 1u << meaning->field;
}

static void
end_info(struct counters_arg *a)
{
	enum unit unit = unit_from_key(a->unit, strlen(a->unit));

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct ingest_counter meaning = { wanted[i].field, unit };

		if (!a->has_id || !is_name(wanted[i].name, a))
			continue;
		if ((wanted[i].units & 1u << unit) != 0) {
			add_counter(a->c, a->id, &meaning);
		} else if (a->c->problem == NULL &&
			   counter_set(&meaning) == COUNTERS_PAIR) {
			a->c->problem = xasprintf(
				"the counter %s has the unit \"%s\", which "
				"is not one to expect",
				wanted[i].name, a->unit);
		}
	}
}

static int
on_open(void *arg, struct xml *x unused, unsigned id, struct err *e unused)
{
	struct counters_arg *a = arg;

	if (id == C_INFO) {
		a->has_id = false;
		a->group[0] = a->name[0] = a->rollup[0] = a->unit[0] = '\0';
	}
	return 0;
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len,
	 struct err *e unused)
{
	struct counters_arg *a = arg;

	switch (id) {
	case C_KEY:
		a->has_id = xsd_i32_all(text, &a->id);
		break;
	case C_GROUP:
		copy_part(a->group, text, len);
		break;
	case C_NAME:
		copy_part(a->name, text, len);
		break;
	case C_ROLLUP:
		copy_part(a->rollup, text, len);
		break;
	case C_UNIT:
		copy_part(a->unit, text, len);
		break;
	case C_INFO:
		end_info(a);
		break;
	default:
		break;
	}
	return 0;
}

static void
on_missing(void *arg, const char *path, const struct soap_fault *f)
{
	struct counters_arg *a = arg;

	if (a->c->problem == NULL)
		a->c->problem =
			xasprintf("%s: %s%s%s", path, f->type,
				  f->text[0] != '\0' ? ": " : "", f->text);
}

static void
on_free(void *arg)
{
	struct counters_arg *a = arg;

	counters_free(&a->c);
	free(a);
}

static const struct props_sink sink = {
	.open = on_open,
	.close = on_close,
	.missing = on_missing,
	.free = on_free,
};

void
counters_write_request(struct buf *b, const struct service_content *sc)
{
	props_write_object(b, sc->property_collector, "PerformanceManager",
			   sc->perf_manager, rows, 1);
}

struct answer *
counters_answer(void)
{
	struct counters_arg *a = xcalloc(1, sizeof(*a));

	a->c = xcalloc(1, sizeof(*a->c));
	return props_answer(rows, &sink, a, false);
}

struct counters *
counters_take(struct answer *r)
{
	struct counters_arg *a = props_arg(r, &sink);
	struct counters *c = a->c;

	a->c = NULL;
	if ((c->field_mask & FIELD_MASK_ALL) == 0 && c->problem == NULL)
		c->problem = xstrdup("the server has no datastore counters");
	return c;
}

void
counters_free(struct counters **c)
{
	if (*c == NULL)
		return;
	free((*c)->problem);
	free(*c);
	*c = NULL;
}

const struct ingest_counter *
counters_find(const struct counters *c, int32_t id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].id == id)
			return &c->list[i].meaning;
	return NULL;
}

size_t
counters_count(const struct counters *c, enum counter_set set)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->list[i].asked &&
			counter_set(&c->list[i].meaning) == set;
	return n;
}
