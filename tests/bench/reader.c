#include "reader.h"

#include <curl/curl.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "collectors/vsphere/perf.h"
#include "collectors/vsphere/schedule.h"
#include "dslat/mem.h"

struct reader {
	CURL *easy;
	struct curl_slist *headers;
	struct service_content *content;
	struct counters *counters;
	xmlParserCtxtPtr ctxt;
	struct reader_counts counts;
};

static void
post(struct reader *r, struct buf *request, curl_write_callback fn, void *arg)
{
	CURLcode rc;

	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE, (long)request->len);
	curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, buf_str(request));
	curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, fn);
	curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, arg);
	rc = curl_easy_perform(r->easy);
	if (rc != CURLE_OK)
		die("the bare reader: %s", curl_easy_strerror(rc));
	buf_fini(request);
}

/* ---- logging in, with dslatd's decoders ---- */

static size_t
feed(char *data, size_t size, size_t n, void *arg)
{
	struct err e;

	return answer_feed(arg, data, size * n, &e) == 0 ? size * n : 0;
}

static void
ask(struct reader *r, struct buf *request, struct answer *answer)
{
	struct err e;

	post(r, request, feed, answer);
	if (answer_finish(answer, 200, &e) != 0)
		die("the bare reader: %s", e.text);
}

static void
log_in(struct reader *r)
{
	struct answer *answer = service_content_answer();
	struct buf b;

	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_content(&b);
	ask(r, &b, answer);
	r->content = service_content_take(answer);
	answer_free(&answer);
	answer = service_login_answer();
	service_write_login(&b, r->content, SIM_USER, SIM_PASSWORD);
	ask(r, &b, answer);
	answer_free(&answer);
	answer = counters_answer();
	counters_write_request(&b, r->content);
	ask(r, &b, answer);
	r->counters = counters_take(answer);
	answer_free(&answer);
}

struct reader *
reader_new(const char *url)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->easy = curl_easy_init();
	r->headers = curl_slist_append(NULL, "Content-Type: text/xml");
	r->headers =
		curl_slist_append(r->headers, "SOAPAction: urn:vim25/8.0.3.0");
	r->headers = curl_slist_append(r->headers, "Expect:");
	curl_easy_setopt(r->easy, CURLOPT_URL, url);
	curl_easy_setopt(r->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(r->easy, CURLOPT_COOKIEFILE, "");
	curl_easy_setopt(r->easy, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
	log_in(r);
	return r;
}

void
reader_free(struct reader **rp)
{
	struct reader *r = *rp;

	curl_easy_cleanup(r->easy);
	curl_slist_free_all(r->headers);
	service_content_free(&r->content);
	counters_free(&r->counters);
	free(r);
	*rp = NULL;
}

/* ---- the bare part ---- */

static void
/* libxml2 wants all these: NOLINTNEXTLINE(readability-function-size) */
on_start(void *ctx, const xmlChar *name unused, const xmlChar *prefix unused,
	 const xmlChar *uri unused, int n_ns unused, const xmlChar **ns unused,
	 int n_attrs unused, int n_default unused, const xmlChar **attrs unused)
{
	((struct reader *)ctx)->counts.elements++;
}

static void
on_end(void *ctx unused, const xmlChar *name unused,
       const xmlChar *prefix unused, const xmlChar *uri unused)
{
}

static void
on_text(void *ctx, const xmlChar *s unused, int len)
{
	((struct reader *)ctx)->counts.text_bytes += (uint64_t)len;
}

static size_t
parse(char *data, size_t size, size_t n, void *arg)
{
	struct reader *r = arg;

	r->counts.bytes += size * n;
	return xmlParseChunk(r->ctxt, data, (int)(size * n), 0) == 0 ? size * n
								     : 0;
}

static void
read_answer(struct reader *r, struct buf *request)
{
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
	};

	r->ctxt = xmlCreatePushParserCtxt(&sax, r, NULL, 0, NULL);
	xmlCtxtUseOptions(r->ctxt, XML_PARSE_NONET);
	post(r, request, parse, r);
	xmlParseChunk(r->ctxt, NULL, 0, 1);
	if (!r->ctxt->wellFormed)
		die("the bare reader: not well-formed");
	xmlFreeParserCtxt(r->ctxt);
}

struct reader_counts
reader_poll(struct reader *r, const struct target *t, unsigned n_samples)
{
	int64_t newest = slot_of(target_now(t));
	struct perf_query q[SCHEDULE_MAX_HOSTS];
	size_t n = 0, i = 0;
	struct buf b;
	void *v;
	bool more;

	r->counts = (struct reader_counts){ 0 };
	buf_init(&b, SOAP_REQUEST_MAX_BYTES);
	service_write_time(&b);
	read_answer(r, &b);
	do {
		more = map_next(t->hosts, &i, NULL, &v);
		if (more)
			q[n++] = (struct perf_query){
				.host = ((const struct host *)v)->moref,
				.start = slot_end(newest - n_samples),
				.max_sample = n_samples,
				.luns = true, /* half the site is iSCSI */
			};
		if (n == SCHEDULE_MAX_HOSTS || (!more && n != 0)) {
			perf_write_request(&b, r->content->perf_manager, q, n,
					   r->counters);
			read_answer(r, &b);
			n = 0;
		}
	} while (more);
	return r->counts;
}
