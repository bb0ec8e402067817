#include "dslat/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

static const char *const role_names[] = {
	[TOKEN_READ] = "read",
	[TOKEN_WRITE] = "write",
};

const char *
token_role_name(enum token_role r)
{
	return role_names[r];
}

int
token_role_parse(const char *name, enum token_role *r_r)
{
	for (size_t i = 0; i < ARRAY_SIZE(role_names); i++) {
		if (strcmp(name, role_names[i]) == 0) {
			*r_r = (enum token_role)i;
			return 0;
		}
	}
	return -1;
}

const char *
token_name_fault(const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789-_.";

	if (*name == '\0')
		return "the name is empty";
	if (strlen(name) > TOKEN_NAME_MAX_BYTES)
		return "the name is longer than 63 characters";
	if (name[strspn(name, allowed)] != '\0')
		return "the name may have letters, digits, \"-\", \"_\" and "
		       "\".\" only";
	return "";
}

/* ---- reading ------------------------------------------------------------ */

static const struct token *
find_name(const struct tokens *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->rows[i].name, name) == 0)
			return &t->rows[i];
	return NULL;
}

/* "" or what is wrong with "NAME:ROLE:HEX", which is cut into its parts. */
static const char *
read_line(const struct tokens *t, char *line, struct token *row)
{
	char *role = strchr(line, ':'), *hex;
	const char *fault;

	hex = role != NULL ? strchr(role + 1, ':') : NULL;
	if (hex == NULL)
		return "must be NAME:ROLE:SHA256; \"dslat token new NAME\" "
		       "prints such a line";
	*role++ = '\0';
	*hex++ = '\0';
	fault = token_name_fault(line);
	if (*fault != '\0')
		return fault;
	if (find_name(t, line) != NULL)
		return "a second token of that name; rename one";
	if (token_role_parse(role, &row->role) != 0)
		return "the role must be \"read\" or \"write\"";
	if (strncmp(hex, TOKEN_PREFIX, sizeof(TOKEN_PREFIX) - 1) == 0)
		return "this is the token itself, not its SHA-256; make a new "
		       "one with \"dslat token new\"";
	if (digest_from_hex(hex, row->sha256, sizeof(row->sha256)) != 0)
		return "the third part must be 64 hex digits";
	if (t->n == TOKENS_MAX)
		return "more than 1000 tokens";
	row->name = xstrdup(line);
	return "";
}

static void
add_row(struct tokens *t, const struct token *row)
{
	t->rows = xgrow(t->rows, t->n, sizeof(*t->rows));
	t->rows[t->n++] = *row;
}

/* A copy of the line without blanks around it; NULL: nothing to read. */
static char *
trimmed(const char *s, size_t len)
{
	while (len > 0 && strchr(" \t\r", s[len - 1]) != NULL)
		len--;
	while (len > 0 && strchr(" \t", s[0]) != NULL) {
		s++;
		len--;
	}
	return len != 0 && *s != '#' ? xstrndup(s, len) : NULL;
}

size_t
tokens_parse(struct tokens *t, const char *text, size_t len, struct err *e)
{
	const char *end = text + len;
	size_t n_bad = 0, number = 0;

	*t = (struct tokens){ NULL, 0 };
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl != NULL ? nl : end) - text);
		char *line = trimmed(text, n);
		struct token row = { NULL, TOKEN_READ, { 0 } };
		const char *fault = "";

		number++;
		if (memchr(text, '\0', n) != NULL) {
			fault = "has a zero byte";
			free(line);
		} else if (line != NULL) {
			fault = read_line(t, line, &row);
			mem_wipe(line, strlen(line));
			free(line);
		}
		if (*fault != '\0' && n_bad++ == 0)
			err_set(e, ERR_CONF, "line %zu: %s", number, fault);
		if (row.name != NULL)
			add_row(t, &row);
		text += n + 1;
	}
	return n_bad;
}

void
tokens_fini(struct tokens *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].name);
	free(t->rows);
	*t = (struct tokens){ NULL, 0 };
}

const struct token *
tokens_find_hash(const struct tokens *t,
		 const unsigned char sha256[SHA256_BYTES])
{
	const struct token *found = NULL;

	for (size_t i = 0; i < t->n; i++)
		if (digest_equal(t->rows[i].sha256, sha256, SHA256_BYTES))
			found = &t->rows[i];
	return found;
}

const struct token *
tokens_find(const struct tokens *t, const char *shown)
{
	unsigned char sha256[SHA256_BYTES];

	digest_sha256(shown, strlen(shown), sha256);
	return tokens_find_hash(t, sha256);
}

/* ---- making ------------------------------------------------------------- */

void
token_make(char out[TOKEN_SIZE])
{
	unsigned char bits[SHA256_BYTES];
	size_t n = sizeof(TOKEN_PREFIX) - 1;

	digest_random(bits, sizeof(bits));
	memcpy(out, TOKEN_PREFIX, n);
	digest_hex(bits, sizeof(bits), out + n);
	mem_wipe(bits, sizeof(bits));
}

int
token_line(struct buf *b, const char *name, enum token_role role,
	   const char *token)
{
	unsigned char sha256[SHA256_BYTES];
	char hex[SHA256_HEX_SIZE];

	digest_sha256(token, strlen(token), sha256);
	digest_hex(sha256, sizeof(sha256), hex);
	return buf_addf(b, "%s:%s:%s\n", name, token_role_name(role), hex);
}
