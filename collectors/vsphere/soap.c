#include "soap.h"

#include <string.h>

enum {
	F_OBJECT = SOAP_ID_FIRST,
	F_PRIVILEGE,
	F_PROPERTY,
};

void
soap_begin(struct buf *b, const char *method, const char *type,
	   const char *moref)
{
	buf_adds(b,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
		 "<soapenv:Envelope xmlns:soapenv=\"" SOAP_NS
		 "\""
		 " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\""
		 " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
		 "<soapenv:Body><");
	buf_adds(b, method);
	buf_adds(b, " xmlns=\"" SOAP_VIM_NS "\">");
	soap_moref(b, "_this", type, moref);
}

void
soap_end(struct buf *b, const char *method)
{
	buf_adds(b, "</");
	buf_adds(b, method);
	buf_adds(b, "></soapenv:Body></soapenv:Envelope>");
}

void
soap_text(struct buf *b, const char *element, const char *text)
{
	buf_addf(b, "<%s>", element);
	buf_add_xml(b, text);
	buf_addf(b, "</%s>", element);
}

void
soap_moref(struct buf *b, const char *element, const char *type,
	   const char *moref)
{
	buf_addf(b, "<%s type=\"", element);
	buf_add_xml(b, type);
	buf_adds(b, "\">");
	buf_add_xml(b, moref);
	buf_addf(b, "</%s>", element);
}

/* Faults that mean something to the caller; all others are ERR_FAULT. */
static const struct {
	const char *type;
	enum err_code code;
	const char *text; /* for people */
} faults[] = {
	{ "InvalidLogin", ERR_AUTH, "wrong user name or password" },
	{ "PasswordExpired", ERR_AUTH, "the password has expired" },
	{ "NotAuthenticated", ERR_SESSION, "the session is gone" },
	{ "NoPermission", ERR_PERM, "no permission" },
	{ "ManagedObjectNotFound", ERR_GONE, "the object no longer exists" },
	{ "RestrictedByAdministrator", ERR_LIMIT,
	  "the administrator restricts such requests" },
};

static void
add_detail(struct err *e, const char *label, const char *value)
{
	size_t n = strlen(e->text);
	struct buf b;

	if (value[0] == '\0')
		return;
	buf_init(&b, sizeof(e->text) * 2);
	buf_addf(&b, "%.*s, %s %s", (int)n, e->text, label, value);
	err_set(e, e->code, "%s", buf_str(&b));
	buf_fini(&b);
}

int
soap_fault_err(const struct soap_fault *f, struct err *e)
{
	enum err_code code = ERR_FAULT;
	const char *text = "the server refuses";

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (strcmp(faults[i].type, f->type) == 0) {
			code = faults[i].code;
			text = faults[i].text;
		}
	if (strstr(f->text, "XML document element count exceeds") != NULL) {
		code = ERR_LIMIT;
		text = "the request is too large for the server";
	}
	err_set(e, code, "%s: %s%s%s", text,
		f->type[0] != '\0' ? f->type : "fault",
		f->text[0] != '\0' ? ": " : "", f->text);
	add_detail(e, "object", f->object);
	add_detail(e, "privilege", f->privilege);
	add_detail(e, "property", f->property);
	return -1;
}

const struct xml_node soap_fault_nodes[] = {
	{ "object", F_OBJECT, NULL },
	{ "obj", F_OBJECT, NULL },
	{ "privilegeId", F_PRIVILEGE, NULL },
	{ "invalidProperty", F_PROPERTY, NULL },
	{ "name", F_PROPERTY, NULL },
	{ NULL, 0, NULL },
};

/* Copy what fits, whole UTF-8 sequences only. */
static void
copy(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
		n--;
	memcpy(to, from, n);
	to[n] = '\0';
}

void
soap_fault_text(struct soap_fault *f, const char *text)
{
	size_t n;

	copy(f->text, sizeof(f->text), text);
	/* it becomes part of a longer sentence */
	n = strlen(f->text);
	if (n > 0 && f->text[n - 1] == '.')
		f->text[n - 1] = '\0';
}

void
soap_fault_open(struct soap_fault *f, struct xml *x)
{
	static const char suffix[] = "Fault";
	size_t n;

	copy(f->type, sizeof(f->type), xml_xsi_type(x));
	if (f->type[0] != '\0')
		return;
	copy(f->type, sizeof(f->type), xml_name(x));
	n = strlen(f->type);
	if (n > strlen(suffix) &&
	    strcmp(f->type + n - strlen(suffix), suffix) == 0)
		f->type[n - strlen(suffix)] = '\0';
}

void
soap_fault_close(struct soap_fault *f, unsigned id, const char *text)
{
	if (id == F_OBJECT)
		copy(f->object, sizeof(f->object), text);
	else if (id == F_PRIVILEGE)
		copy(f->privilege, sizeof(f->privilege), text);
	else if (id == F_PROPERTY)
		copy(f->property, sizeof(f->property), text);
}
