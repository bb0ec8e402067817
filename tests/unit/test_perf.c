#include "../../collectors/vsphere/perf.h"

#include <string.h>

#include "dslat/sample.h"

#include "unit.h"

#define BEGIN                                                                  \
	"<Envelope xmlns=\"" SOAP_NS                                           \
	"\"><Body><QueryPerfResponse xmlns=\"" SOAP_VIM_NS "\">"
#define END "</QueryPerfResponse></Body></Envelope>"

static const struct counters counters = {
	.list = { { 182, true, { FIELD_US + OP_READ, UNIT_MILLISECOND } },
		  { 655365, true, { FIELD_US + OP_WRITE, UNIT_MILLISECOND } },
		  { 282, false, { FIELD_US + OP_READ, UNIT_MILLISECOND } } },
	.n = 3,
};

/* Order and names as in the fact sheet's request; a second id of one counter
 * is understood but not asked. */
static void
test_request(void **state unused)
{
	static const struct perf_query queries[] = {
		{ .host = "host-1002",
		  .start = { INT64_C(1715966680000000) },
		  .max_sample = 15 },
		{ .host = "a<b" },
	};
	static const char expected[] =
		"<QueryPerf xmlns=\"urn:vim25\">"
		"<_this type=\"PerformanceManager\">PerfMgr</_this>"
		"<querySpec><entity type=\"HostSystem\">host-1002</entity>"
		"<startTime>2024-05-17T17:24:40Z</startTime>"
		"<maxSample>15</maxSample>"
		"<metricId><counterId>182</counterId><instance>*</instance>"
		"</metricId>"
		"<metricId><counterId>655365</counterId><instance>*</instance>"
		"</metricId><intervalId>20</intervalId><format>csv</format>"
		"</querySpec>"
		"<querySpec><entity type=\"HostSystem\">a&lt;b</entity>"
		"<metricId><counterId>182</counterId><instance>*</instance>"
		"</metricId>"
		"<metricId><counterId>655365</counterId><instance>*</instance>"
		"</metricId><intervalId>20</intervalId><format>csv</format>"
		"</querySpec></QueryPerf>";
	struct buf b;
	char *body;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	perf_write_request(&b, "PerfMgr", queries, 2, &counters);
	body = strstr(buf_str(&b), "<QueryPerf");
	assert_non_null(body);
	assert_int_equal(strncmp(body, expected, strlen(expected)), 0);
	assert_string_equal(body + strlen(expected),
			    "</soapenv:Body></soapenv:Envelope>");
	buf_fini(&b);
}

/* LUNs only where they are wanted, all or by name; their I/Os likewise. */
static void
test_request_luns(void **state unused)
{
	static const struct counters some = {
		.list = { { 182, true, { FIELD_US, UNIT_MILLISECOND } },
			  { 447, true, { FIELD_LUN, UNIT_MILLISECOND } },
			  { 136, true, { FIELD_LUN_IOS, UNIT_NUMBER } } },
		.n = 3,
	};
	static const char *names[] = { "naa.1", "t10.a&b" };
	static const struct perf_query queries[] = {
		{ .host = "nfs", .lun_ios = true },
		{ .host = "one", .luns = true },
		{ .host = "two",
		  .luns = true,
		  .lun_ios = true,
		  .lun_names = names,
		  .n_lun_names = 2 },
	};
#define METRIC(id, instance)                                                   \
	"<metricId><counterId>" #id "</counterId><instance>" instance          \
	"</instance></metricId>"
#define SPEC(host, metrics)                                                    \
	"<querySpec><entity type=\"HostSystem\">" host "</entity>" metrics     \
	"<intervalId>20</intervalId><format>csv</format></querySpec>"
	static const char expected[] = SPEC("nfs", METRIC(182, "*"))
		SPEC("one", METRIC(182, "*") METRIC(447, "*"))
			SPEC("two",
			     METRIC(182, "*") METRIC(447, "naa.1") METRIC(
				     447, "t10.a&amp;b") METRIC(136, "naa.1")
				     METRIC(136, "t10.a&amp;b")) "</QueryPerf>";
	struct buf b;
	const char *body;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	perf_write_request(&b, "PerfMgr", queries, 3, &some);
	body = strstr(buf_str(&b), "<querySpec>");
	assert_non_null(body);
	assert_int_equal(strncmp(body, expected, strlen(expected)), 0);
	buf_fini(&b);
}

static void
test_find(void **state unused)
{
	assert_int_equal(counters_find(&counters, 182)->field,
			 FIELD_US + OP_READ);
	assert_int_equal(counters_find(&counters, 282)->field,
			 FIELD_US + OP_READ);
	assert_int_equal(counters_find(&counters, 655365)->field,
			 FIELD_US + OP_WRITE);
	/* what is left of 655365 in 16 bits */
	assert_null(counters_find(&counters, 5));
	assert_null(counters_find(&counters, 0));
}

struct seen {
	size_t entities, stamps, series, values, ends, longest_instance;
};

static void
on_entity(void *arg, const char *moref unused, const real_t *stamps unused,
	  size_t n)
{
	struct seen *s = arg;

	s->entities++;
	s->stamps += n;
}

static void
on_series(void *arg, int32_t counter_id unused, const char *instance,
	  size_t instance_len, const int64_t *values unused, size_t n)
{
	struct seen *s = arg;

	assert_int_equal(strlen(instance), instance_len);
	s->series++;
	s->values += n;
	s->longest_instance = MAX(s->longest_instance, instance_len);
}

static void
on_entity_end(void *arg)
{
	((struct seen *)arg)->ends++;
}

static const struct perf_sink sink = { on_entity, on_series, on_entity_end };

static int
decode(const struct buf *b, struct seen *s, struct err *e)
{
	struct answer *r = perf_answer(&sink, s);
	int rc;

	*s = (struct seen){ 0 };
	rc = answer_feed(r, buf_str(b), b->len, e);
	if (rc == 0)
		rc = answer_finish(r, 200, e);
	assert_int_equal(perf_entities(r), s->entities);
	assert_int_equal(perf_series(r), s->series);
	answer_free(&r);
	assert_null(r);
	return rc;
}

static void
add_entity(struct buf *b, size_t n_stamps, size_t n_values, size_t n_instance)
{
	buf_adds(b,
		 "<returnval><entity type=\"HostSystem\">h</entity>"
		 "<sampleInfoCSV>");
	for (size_t i = 0; i < n_stamps; i++)
		buf_addf(b, "%s20,2024-05-17T17:%02zu:%02zuZ",
			 i != 0 ? "," : "", i / 60 % 60, i % 60);
	buf_adds(b,
		 "</sampleInfoCSV><value><id><counterId>1</counterId>"
		 "<instance>");
	for (size_t i = 0; i < n_instance; i++)
		buf_addc(b, 'i');
	buf_adds(b, "</instance></id><value>");
	for (size_t i = 0; i < n_values; i++)
		buf_addf(b, i != 0 ? ",%zu" : "%zu", i);
	buf_adds(b, "</value></value></returnval>");
}

static const struct {
	const char *name;
	size_t n_stamps, n_values, n_instance;
	enum err_code code;
} sizes[] = {
	{ "an hour", 180, 180, 35, ERR_NONE },
	{ "a day", 4320, 4320, 35, ERR_NONE },
	{ "the most stamps", 8192, 1, 1, ERR_NONE },
	{ "too many stamps", 8193, 1, 1, ERR_LIMIT },
	{ "the most values", 1, 8192, 1, ERR_NONE },
	{ "too many values", 1, 8193, 1, ERR_LIMIT },
	{ "the longest instance", 1, 1, 4096, ERR_NONE },
	{ "too long an instance", 1, 1, 4097, ERR_LIMIT },
};

static void
test_sizes(void **state unused)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct seen s;
		struct err e = { .code = ERR_NONE };
		int rc;

		print_message("%s\n", sizes[i].name);
		buf_reset(&b);
		buf_adds(&b, BEGIN);
		add_entity(&b, sizes[i].n_stamps, sizes[i].n_values,
			   sizes[i].n_instance);
		buf_adds(&b, END);
		rc = decode(&b, &s, &e);
		assert_int_equal(rc, sizes[i].code == ERR_NONE ? 0 : -1);
		assert_int_equal(e.code, sizes[i].code);
		if (rc != 0)
			continue;
		assert_int_equal(s.stamps, sizes[i].n_stamps);
		assert_int_equal(s.values, sizes[i].n_values);
		assert_int_equal(s.longest_instance, sizes[i].n_instance);
		assert_int_equal(s.ends, 1);
	}
	buf_fini(&b);
}

/* A batch as large as a server lets through: 500,000 elements and a bit. */
static void
test_large(void **state unused)
{
	struct buf b;
	struct seen s;
	struct err e = { .code = ERR_NONE };

	buf_init(&b, (size_t)256 << 20);
	buf_adds(&b, BEGIN);
	for (int i = 0; i < 90000; i++)
		add_entity(&b, 1, 1, 8);
	buf_adds(&b, END);
	assert_false(b.full);
	assert_int_equal(decode(&b, &s, &e), 0);
	assert_int_equal(s.entities, 90000);
	assert_int_equal(s.ends, 90000);
	assert_int_equal(s.values, 90000);
	buf_fini(&b);
}

/* What came before a break stays given, in whole series. */
static void
test_breaks_off(void **state unused)
{
	struct buf b;
	struct seen s;
	struct err e;

	buf_init(&b, 1 << 20);
	buf_adds(&b, BEGIN);
	add_entity(&b, 3, 3, 1);
	add_entity(&b, 3, 3, 1);
	b.len -= strlen("</value></value></returnval>");
	b.data[b.len] = '\0';
	assert_int_equal(decode(&b, &s, &e), -1);
	assert_int_equal(e.code, ERR_PROTO);
	assert_int_equal(s.entities, 1);
	assert_int_equal(s.series, 1);
	assert_int_equal(s.ends, 1);
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_request_luns),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_breaks_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
