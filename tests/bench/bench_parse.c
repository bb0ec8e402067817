/*
 * bench_parse.c - what decoding a QueryPerf answer costs beyond reading XML.
 *
 * The same bytes (200 hosts x 64 datastores x 6 counters x 15 samples, csv,
 * made here) go in chunks of 16 KiB through a libxml2 SAX push parser whose
 * callbacks do nothing, and through our decoder with a sink that adds up what
 * it is given.  User+system CPU time, best of some alternating rounds; the
 * ratio is the figure.  Exits 1 when the sums are not those of the generator.
 */
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "dslat/buf.h"

#include "../../collectors/vsphere/perf.h"

#define HOSTS 200
#define DATASTORES 64
#define COUNTERS 6
#define SAMPLES 15
#define CHUNK_BYTES ((size_t)16384)
#define ROUNDS 7

struct sums {
	size_t entities, series, values;
	uint64_t sum;
};

/* A value that has one to five digits, now and then none at all (-1). */
static int
value_of(unsigned n)
{
	static const unsigned ranges[] = { 10, 100, 1000, 20000 };
	unsigned h = n * 2654435761u;

	if (h % 97 == 0)
		return -1;
	return (int)((h >> 8) % ranges[h % 4]);
}

static void
add_series(struct buf *b, unsigned host, unsigned ds, unsigned counter,
	   struct sums *s)
{
	int v;

	buf_addf(b,
		 "<value xsi:type=\"PerfMetricSeriesCSV\"><id><counterId>%u"
		 "</counterId><instance>%08x-%08x-%04x-0025b5%06x</instance>"
		 "</id><value>",
		 185 + counter, 0x5a000000 + ds, 0x1d3c55a7 * (ds + 1), ds,
		 ds * 77);
	for (unsigned i = 0; i < SAMPLES; i++) {
		v = value_of(((host * DATASTORES + ds) * COUNTERS + counter) *
				     SAMPLES +
			     i);
		buf_addf(b, i != 0 ? ",%d" : "%d", v);
		s->values++;
		s->sum += (uint64_t)v;
	}
	buf_adds(b, "</value></value>");
	s->series++;
}

static void
generate(struct buf *b, struct sums *s)
{
	buf_adds(
		b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soapenv:Envelope"
		" xmlns:soapenc=\"http://schemas.xmlsoap.org/soap/encoding/\""
		"\n xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\""
		"\n xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\""
		"\n xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
		"\n<soapenv:Body>\n<QueryPerfResponse xmlns=\"urn:vim25\">");
	for (unsigned h = 0; h < HOSTS; h++) {
		buf_addf(b,
			 "<returnval xsi:type=\"PerfEntityMetricCSV\"><entity "
			 "type=\"HostSystem\">host-%u</entity><sampleInfoCSV>",
			 1000 + h);
		for (unsigned i = 0; i < SAMPLES; i++)
			buf_addf(b, "%s20,2026-05-17T17:%02u:%02uZ",
				 i != 0 ? "," : "", 20 + i / 3, i % 3 * 20);
		buf_adds(b, "</sampleInfoCSV>");
		for (unsigned d = 0; d < DATASTORES; d++)
			for (unsigned c = 0; c < COUNTERS; c++)
				add_series(b, h, d, c, s);
		buf_adds(b, "</returnval>");
		s->entities++;
	}
	buf_adds(b,
		 "</QueryPerfResponse>\n</soapenv:Body>\n"
		 "</soapenv:Envelope>\n");
}

static int64_t
cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
		u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static void
nothing_start(void *ctx unused, const xmlChar *name unused,
	      const xmlChar *prefix unused, const xmlChar *uri unused,
	      int n_ns unused, const xmlChar **ns unused, int n_attrs unused,
	      int n_default unused, const xmlChar **attrs unused)
{
}

static void
nothing_end(void *ctx unused, const xmlChar *name unused,
	    const xmlChar *prefix unused, const xmlChar *uri unused)
{
}

static void
nothing_text(void *ctx unused, const xmlChar *s unused, int len unused)
{
}

static int
read_bare(const struct buf *b)
{
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = nothing_start,
		.endElementNs = nothing_end,
		.characters = nothing_text,
		.ignorableWhitespace = nothing_text,
	};
	xmlParserCtxtPtr ctxt =
		xmlCreatePushParserCtxt(&sax, NULL, NULL, 0, NULL);
	int ok;

	for (size_t at = 0; at < b->len; at += CHUNK_BYTES)
		xmlParseChunk(ctxt, b->data + at,
			      (int)MIN(CHUNK_BYTES, b->len - at), 0);
	ok = xmlParseChunk(ctxt, NULL, 0, 1) == 0;
	xmlFreeParserCtxt(ctxt);
	return ok;
}

static void
sum_entity(void *arg, const char *moref unused, const real_t *stamps unused,
	   size_t n unused)
{
	struct sums *s = arg;

	s->entities++;
}

static void
sum_series(void *arg, int32_t counter_id unused, const char *instance unused,
	   size_t instance_len unused, const int64_t *values, size_t n)
{
	struct sums *s = arg;

	s->series++;
	s->values += n;
	for (size_t i = 0; i < n; i++)
		s->sum += (uint64_t)values[i];
}

static void
sum_end(void *arg unused)
{
}

static int
read_decoded(const struct buf *b, struct sums *s)
{
	static const struct perf_sink sink = { sum_entity, sum_series,
					       sum_end };
	struct answer *r = perf_answer(&sink, s);
	struct err e;
	int ok = 1;

	for (size_t at = 0; ok && at < b->len; at += CHUNK_BYTES)
		ok = answer_feed(r, b->data + at, MIN(CHUNK_BYTES, b->len - at),
				 &e) == 0;
	ok = answer_finish(r, 200, &e) == 0;
	if (!ok)
		fprintf(stderr, "bench_parse: %s\n", e.text);
	answer_free(&r);
	return ok;
}

int
main(void)
{
	struct sums made = { 0 }, read;
	int64_t bare_us = INT64_MAX, ours_us = INT64_MAX, t;
	struct buf b;

	buf_init(&b, (size_t)256 << 20);
	generate(&b, &made);
	for (int i = 0; i < ROUNDS; i++) {
		t = cpu_us();
		if (!read_bare(&b))
			return 1;
		bare_us = MIN(bare_us, cpu_us() - t);
		memset(&read, 0, sizeof(read));
		t = cpu_us();
		if (!read_decoded(&b, &read))
			return 1;
		ours_us = MIN(ours_us, cpu_us() - t);
		if (memcmp(&read, &made, sizeof(read)) != 0) {
			fprintf(stderr, "bench_parse: wrong sums\n");
			return 1;
		}
	}
	printf("parse: %.1f MB, %zu series, %zu values: bare SAX %.1f ms, "
	       "decoder %.1f ms, ratio %.2f\n",
	       (double)b.len / 1e6, made.series, made.values,
	       (double)bare_us / 1e3, (double)ours_us / 1e3,
	       (double)ours_us / (double)bare_us);
	buf_fini(&b);
	return 0;
}
