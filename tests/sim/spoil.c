#include "spoil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int status;
} statuses[] = {
	{ "http-404", 404 }, { "http-502", 502 }, { "http-503", 503 },
	{ "http-504", 504 }, { "html-200", 200 }, { "redirect", 302 },
};

void
spoil_take(struct faults *f, const char *method, struct spoil *out)
{
	const char *arg;
	const struct {
		const char *name;
		bool *on;
	} flags[] = {
		{ "blackhole", &out->blackhole },
		{ "endless", &out->endless },
		{ "empty-200", &out->empty },
		{ "dtd", &out->dtd },
		{ "entity-bomb", &out->entity_bomb },
		{ "wrong-namespace", &out->wrong_namespace },
		{ "type-prefix", &out->type_prefix },
		{ "bad-utf8", &out->bad_utf8 },
	};
	const struct {
		const char *name;
		int64_t *value, otherwise, unit;
	} numbers[] = {
		{ "delay", &out->delay_ms, 1000, 1 },
		{ "drip", &out->drip_bytes_per_s, 16, 1 },
		{ "truncate", &out->truncate_bytes, 0, 1 },
		{ "close", &out->close_bytes, 0, 1 },
		{ "huge", &out->huge_bytes, 256, 1 << 20 },
		{ "gzip-bomb", &out->gzip_bomb_bytes, 1024, 1 << 20 },
		{ "deep-nesting", &out->nesting, 100000, 1 },
	};

	*out = (struct spoil){ .truncate_bytes = -1, .close_bytes = -1 };
	if (f->first == NULL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (out->status == 0 &&
		    faults_take(f, statuses[i].name, method, &arg)) {
			out->status = statuses[i].status;
			snprintf(out->location, sizeof(out->location), "%s",
				 *arg != '\0' ? arg : "http://127.0.0.1:9/sdk");
		}
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		*flags[i].on = faults_take(f, flags[i].name, method, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (faults_take(f, numbers[i].name, method, &arg))
			*numbers[i].value =
				fault_arg_int(arg, numbers[i].otherwise) *
				numbers[i].unit;
}

void
spoil_html(int status, struct buf *out)
{
	buf_addf(out,
		 "<html>\r\n<head><title>%d</title></head>\r\n<body>\r\n"
		 "<center><h1>%d upstream connect error or disconnect/reset "
		 "before headers</h1></center>\r\n<hr><center>envoy</center>"
		 "\r\n</body>\r\n</html>\r\n",
		 status, status);
}

/* Replace every occurrence. */
static void
replace(struct buf *body, const char *what, const char *by)
{
	struct buf out;
	const char *p = buf_str(body), *hit;

	buf_init(&out, body->max);
	while ((hit = strstr(p, what)) != NULL) {
		buf_add(&out, p, (size_t)(hit - p));
		buf_adds(&out, by);
		p = hit + strlen(what);
	}
	buf_adds(&out, p);
	buf_fini(body);
	*body = out;
}

static void
insert(struct buf *body, const char *before, const char *text)
{
	struct buf out;
	const char *hit = strstr(buf_str(body), before);
	size_t at = hit != NULL ? (size_t)(hit - body->data) : body->len;

	buf_init(&out, body->max);
	buf_add(&out, buf_str(body), at);
	buf_adds(&out, text);
	buf_adds(&out, buf_str(body) + at);
	buf_fini(body);
	*body = out;
}

static void
nest(struct buf *body, int64_t depth)
{
	struct buf deep;

	buf_init(&deep, body->max);
	for (int64_t i = 0; i < depth; i++)
		buf_adds(&deep, "<d>");
	for (int64_t i = 0; i < depth; i++)
		buf_adds(&deep, "</d>");
	insert(body, "\n</soapenv:Body>", buf_str(&deep));
	buf_fini(&deep);
}

static const char bomb[] =
	"<!DOCTYPE bomb [<!ENTITY a \"aaaaaaaaaa\">"
	"<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
	"<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">"
	"<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">"
	"<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\">"
	"<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">"
	"<!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;\">"
	"<!ENTITY h \"&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;\">]>\n";

void
spoil_body(const struct spoil *sp, struct buf *body)
{
	if (sp->wrong_namespace)
		replace(body, "http://schemas.xmlsoap.org/soap/envelope/",
			"urn:example:not-soap");
	if (sp->type_prefix) {
		replace(body, " xmlns:xsi=", " xmlns:XMLSchema-instance=");
		replace(body, " xsi:type=", " XMLSchema-instance:type=");
	}
	if (sp->nesting > 0)
		nest(body, sp->nesting);
	if (sp->bad_utf8)
		insert(body, "\n</soapenv:Body>", "<x>\xff\xfe\xc3\x28</x>");
	if (sp->dtd)
		insert(body, "<soapenv:Envelope",
		       "<!DOCTYPE soapenv:Envelope SYSTEM "
		       "\"http://127.0.0.1:9/evil.dtd\">\n");
	if (sp->entity_bomb) {
		insert(body, "<soapenv:Envelope", bomb);
		insert(body, "\n</soapenv:Body>", "<x>&h;</x>");
	}
	if (sp->empty)
		buf_reset(body);
	if (sp->truncate_bytes >= 0) {
		size_t keep = sp->truncate_bytes > 0
			? (size_t)sp->truncate_bytes
			: body->len / 2;

		if (keep < body->len) {
			body->len = keep;
			body->data[keep] = '\0';
		}
	}
}
