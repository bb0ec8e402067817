#include "answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dslat/mem.h"

#define RESPONSE "Response"

enum {
	R_ENVELOPE = SOAP_ID_FIRST + 0x100,
	R_ANSWER, /* the child of Body, whatever its name */
	R_FAULT,
	R_FAULT_STRING,
	R_FAULT_DETAIL,
	R_ROOT, /* of an answer that is not SOAP */
};

struct answer {
	const struct answer_method *m;
	void *arg;
	struct xml *xml;
	size_t bytes;
	char head[64];  /* the first bytes, to tell a page from a document */
	struct err err; /* code not ERR_NONE: no use to read on */
	bool is_ours;   /* the root element is the one expected */
	bool answered;  /* the method's answer began */
	bool in_fault;  /* between a Fault's tags */
	bool faulted;   /* a Fault ended */
	struct soap_fault fault;
};

static const struct xml_node detail_nodes[] = {
	{ "*", R_FAULT_DETAIL, soap_fault_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node fault_nodes[] = {
	{ "faultstring", R_FAULT_STRING, NULL },
	{ "detail", 0, detail_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node body_nodes[] = {
	{ "Fault", R_FAULT, fault_nodes },
	{ "*", R_ANSWER, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node envelope_nodes[] = {
	{ "Body", 0, body_nodes },
	{ NULL, 0, NULL },
};
static const struct xml_node soap_root[] = {
	{ "Envelope", R_ENVELOPE, envelope_nodes },
	{ "*", R_ROOT, NULL },
	{ NULL, 0, NULL },
};
static const struct xml_node plain_root[] = {
	{ "*", R_ROOT, NULL },
	{ NULL, 0, NULL },
};

/* The element that should be <method>Response of vim25. */
static int
open_answer(struct answer *r, struct xml *x, struct err *e)
{
	const char *name = xml_name(x);
	size_t n = strlen(r->m->name);

	if (strcmp(xml_namespace(x), SOAP_VIM_NS) != 0)
		return err_set(e, ERR_PROTO,
			       "the answer <%.80s> is of the namespace "
			       "\"%.80s\", not " SOAP_VIM_NS,
			       name, xml_namespace(x));
	if (strncmp(name, r->m->name, n) != 0 ||
	    strcmp(name + n, RESPONSE) != 0)
		return err_set(e, ERR_PROTO, "the answer to %s is <%.80s>",
			       r->m->name, name);
	if (r->answered)
		return err_set(e, ERR_PROTO, "two answers to %s", r->m->name);
	r->answered = true;
	if (r->m->nodes != NULL)
		xml_enter(x, r->m->nodes);
	return 0;
}

static int
open_root(struct answer *r, struct xml *x, struct err *e)
{
	if (r->m->root == NULL || strcmp(xml_name(x), r->m->root) != 0)
		return err_set(e, ERR_PROTO, "the answer is a <%.80s> document",
			       xml_name(x));
	r->is_ours = r->answered = true;
	xml_enter(x, r->m->nodes);
	return 0;
}

static int
on_open(void *arg, struct xml *x, unsigned id, struct err *e)
{
	struct answer *r = arg;

	if (id < SOAP_ID_FIRST)
		return r->m->open != NULL ? r->m->open(r->arg, x, id, e) : 0;
	switch (id) {
	case R_ENVELOPE:
		if (strcmp(xml_namespace(x), SOAP_NS) != 0)
			return err_set(e, ERR_PROTO,
				       "the envelope is of the namespace "
				       "\"%.80s\", not SOAP 1.1",
				       xml_namespace(x));
		r->is_ours = true;
		return 0;
	case R_ANSWER:
		return open_answer(r, x, e);
	case R_FAULT:
		if (strcmp(xml_namespace(x), SOAP_NS) != 0)
			return open_answer(r, x, e);
		r->in_fault = true;
		return 0;
	case R_FAULT_DETAIL:
		if (r->fault.type[0] == '\0')
			soap_fault_open(&r->fault, x);
		return 0;
	case R_ROOT:
		return open_root(r, x, e);
	default:
		return 0;
	}
}

static int
on_close(void *arg, unsigned id, const char *text, size_t len, struct err *e)
{
	struct answer *r = arg;

	if (id < SOAP_ID_FIRST || (id < R_ENVELOPE && !r->in_fault))
		return r->m->close != NULL
			? r->m->close(r->arg, id, text, len, e)
			: 0;
	if (id == R_FAULT) {
		r->in_fault = false;
		r->faulted = true;
	} else if (id == R_FAULT_STRING) {
		soap_fault_text(&r->fault, text);
	} else {
		soap_fault_close(&r->fault, id, text);
	}
	return 0;
}

static const struct xml_ops answer_ops = { on_open, on_close };

struct answer *
answer_new(const struct answer_method *m, void *arg)
{
	struct answer *r = xcalloc(1, sizeof(*r));

	r->m = m;
	r->arg = arg;
	r->xml = xml_new(m->root != NULL ? plain_root : soap_root, &answer_ops,
			 r, &m->limits);
	return r;
}

void
answer_free(struct answer **rp)
{
	struct answer *r = *rp;

	if (r == NULL)
		return;
	xml_free(&r->xml);
	if (r->m->free != NULL)
		r->m->free(r->arg);
	free(r);
	*rp = NULL;
}

int
answer_feed(struct answer *r, const char *data, size_t len, struct err *e)
{
	size_t room = sizeof(r->head) - 1;

	if (r->bytes < room)
		memcpy(r->head + r->bytes, data, MIN(len, room - r->bytes));
	r->bytes += len;
	if (r->err.code == ERR_NONE &&
	    xml_feed(r->xml, data, len, &r->err) == 0)
		return 0;
	*e = r->err;
	return -1;
}

/* What came instead, in a few words; *why knows where it is XML. */
static const char *
what_came(const struct answer *r, const struct err *why)
{
	const char *s = r->head;

	if (r->bytes == 0)
		return "an empty answer";
	if (strncmp(s, "\xef\xbb\xbf", 3) == 0)
		s += 3;
	s += strspn(s, " \t\r\n");
	if (strncasecmp(s, "<html", 5) == 0 ||
	    strncasecmp(s, "<!doctype html", 14) == 0)
		return "an HTML page";
	return s[0] == '<' ? why->text : "no XML";
}

/* Not the document that was expected, or none at all; *e says why. */
static int
not_ours(const struct answer *r, int status, struct err *e)
{
	struct err why = *e;
	const char *what = what_came(r, &why);

	if (status == 502 || status == 503 || status == 504)
		return err_set(e, ERR_BUSY,
			       "HTTP %d (%s): the service is starting, "
			       "overloaded, or has too many sessions",
			       status, what);
	return err_set(e, ERR_PROTO,
		       "HTTP %d (%s): is this the /sdk address of a vCenter "
		       "or ESXi host?",
		       status, what);
}

int
answer_finish(struct answer *r, int http_status, struct err *e)
{
	if (r->err.code == ERR_NONE && xml_finish(r->xml, &r->err) != 0 &&
	    r->err.code == ERR_PROTO && r->is_ours)
		err_wrap(&r->err, "after %zu bytes", r->bytes);
	*e = r->err;
	if (r->faulted)
		return soap_fault_err(&r->fault, e);
	if (e->code != ERR_NONE && e->code != ERR_PROTO)
		return -1;
	if (!r->is_ours)
		return not_ours(r, http_status, e);
	if (e->code != ERR_NONE)
		return -1;
	if (http_status < 200 || http_status > 299)
		return err_set(e, ERR_PROTO, "HTTP %d with an answer to %s",
			       http_status, r->m->name);
	if (!r->answered)
		return err_set(e, ERR_PROTO, "no answer to %s", r->m->name);
	return r->m->finish != NULL ? r->m->finish(r->arg, e) : 0;
}

const struct soap_fault *
answer_fault(const struct answer *r)
{
	return r->faulted ? &r->fault : NULL;
}

bool
answer_is(const struct answer *r, const struct answer_method *m)
{
	return r->m == m;
}

const char *
answer_name(const struct answer *r)
{
	return r->m->name;
}

void *
answer_arg(const struct answer *r, const struct answer_method *m)
{
	assert(r->m == m);
	return r->arg;
}
