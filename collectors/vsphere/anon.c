#include "anon.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dslat/map.h"
#include "dslat/mem.h"
#include "dslat/utf8.h"

#define RUN_MAX 60 /* longer runs are taken in pieces */
#define KEY_BYTES (RUN_MAX + 8)

enum run { RUN_LETTERS, RUN_DIGITS, RUN_HEX, RUN_OTHER, N_RUNS };

struct anon {
	struct map *known;                  /* "d4:1998" -> its pseudonym */
	uint64_t next[N_RUNS][RUN_MAX + 1]; /* by length */
};

/* Words that stand in addresses, keys and paths of every vSphere. */
/* clang-format off */
static const char *const words[] = {
	"2049", "3260", "443", "8989", "adapter", "blockadapter", "blockhba",
	"cifs", "clusters", "com", "computer", "datacenter", "datastore",
	"default", "device", "devices", "disk", "disks", "domain", "ds", "esx",
	"esxi", "eui", "fc", "fcoe", "fibrechannelhba", "folder", "group", "ha",
	"host", "hpp", "http", "https", "interface", "internetscsihba", "iqn",
	"iscsi", "iser", "key", "local", "localhost", "logicalunit", "lun",
	"mpx", "multipathinfo", "naa", "net", "nfs", "nfs41", "nmp", "none",
	"nqn", "nvme", "nvmecontroller", "nvmenamespace", "nvmetopology",
	"nvmexpress", "org", "parallelscsihba", "path", "pciehba", "plugin",
	"plugstoretopology", "pool", "pscsi", "rdma", "rdmahba", "root", "sas",
	"sata", "scsi", "scsidisk", "scsilun", "scsitopology",
	"serialattachedhba", "session", "t10", "target", "tcp", "tcphba",
	"uuid", "via", "vim", "vmfs", "vml", "vmware", "volumes", "vsan",
	"vsphere", "vvol",
};
/* clang-format on */
/* These are followed by a number of their own. */
static const char *const numbered[] = {
	"vmhba", "vmk", "vmnic", "c", "t", "l"
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char
lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static char
upper(char c)
{
	return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

struct anon *
anon_new(void)
{
	struct anon *a = xcalloc(1, sizeof(*a));

	a->known = map_new();
	return a;
}

void
anon_free(struct anon **ap)
{
	struct anon *a = *ap;
	void *v;

	if (a == NULL)
		return;
	*ap = NULL;
	for (size_t i = 0; map_next(a->known, &i, NULL, &v);)
		free(v);
	map_free(&a->known);
	free(a);
}

static bool
is_word(const char *s, size_t len)
{
	size_t n = len;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len &&
		    strncasecmp(words[i], s, len) == 0)
			return true;
	while (n > 0 && is_digit(s[n - 1]))
		n--;
	for (size_t i = 0; n < len && i < ARRAY_SIZE(numbered); i++)
		if (strlen(numbered[i]) == n &&
		    strncasecmp(numbered[i], s, n) == 0)
			return true;
	return false;
}

/*
 * The n-th text of that length and kind.  Digits do not begin with 0 as long
 * as there are others; no text is given twice.
 */
static void
write_number(enum run run, uint64_t n, char *out, size_t len)
{
	static const char *const alphabets[] = {
		[RUN_LETTERS] = "abcdefghijklmnopqrstuvwxyz",
		[RUN_DIGITS] = "0123456789",
		[RUN_HEX] = "0123456789abcdef",
	};
	const char *digits = alphabets[run];
	size_t base = strlen(digits);

	if (run == RUN_DIGITS && len > 1 && len < 20) {
		uint64_t first = 1;

		for (size_t i = 1; i < len; i++)
			first *= 10;
		n = n < 9 * first ? n + first : n - 9 * first;
	}
	for (size_t i = len; i > 0; i--, n /= base)
		out[i - 1] = digits[n % base];
	out[len] = '\0';
}

/* The pseudonym of a lower-case run; borrowed. */
static const char *
pseudonym(struct anon *a, enum run run, const char *text, size_t len)
{
	static const char kinds[] = "ldxo";
	char key[KEY_BYTES], *v;

	assert(len <= RUN_MAX);
	key[0] = kinds[run];
	memcpy(key + 1, text, len);
	key[len + 1] = '\0';
	v = map_find_str(a->known, key);
	if (v != NULL)
		return v;
	v = xmalloc(RUN_MAX + 1);
	if (run == RUN_OTHER) { /* a character: Latin Extended-A and on */
		uint64_t cp = 0x100 + a->next[run][0]++ % 0x600;

		v[0] = (char)(0xc0 | cp >> 6);
		v[1] = (char)(0x80 | (cp & 0x3f));
		v[2] = '\0';
	} else {
		do
			write_number(run, a->next[run][len]++, v, len);
		while (is_word(v, len));
	}
	map_set(a->known, key, v);
	return v;
}

/* With the capitals where they were. */
static void
add_run(struct anon *a, struct buf *out, enum run run, const char *s,
	size_t len)
{
	char text[RUN_MAX + 1];
	const char *v;

	for (size_t i = 0; i < len; i++)
		text[i] = lower(s[i]);
	text[len] = '\0';
	v = pseudonym(a, run, text, len);
	for (size_t i = 0; i < len; i++)
		if (s[i] != lower(s[i]))
			buf_addc(out, upper(v[i]));
		else
			buf_addc(out, v[i]);
}

/* Letters and digits without anything between. */
static void
add_token(struct anon *a, struct buf *out, const char *s, size_t len)
{
	size_t n_digits = 0, n_hex = 0;

	if (is_word(s, len)) {
		buf_add(out, s, len);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		n_digits += is_digit(s[i]);
		n_hex += is_hex(s[i]);
	}
	if (len >= 4 && n_hex == len && n_digits > 0 && n_digits < len) {
		add_run(a, out, RUN_HEX, s, len);
		return;
	}
	for (size_t i = 0, n; i < len; i += n) {
		enum run run = is_digit(s[i]) ? RUN_DIGITS : RUN_LETTERS;

		for (n = 1;
		     i + n < len && is_digit(s[i + n]) == (run == RUN_DIGITS);)
			n++;
		add_run(a, out, run, s + i, n);
	}
}

static void
add_character(struct anon *a, struct buf *out, const char *s, size_t len)
{
	buf_adds(out, pseudonym(a, RUN_OTHER, s, len));
}

/* "&lt;" or "&#228;" at s; 0 if there is none. */
static size_t
entity_length(const char *s, size_t len)
{
	for (size_t i = 1; i < len && i < 12; i++) {
		if (s[i] == ';')
			return i + 1;
		if (!is_letter(s[i]) && !is_digit(s[i]) && s[i] != '#')
			break;
	}
	return 0;
}

/* What stands between two tokens: one character, or an entity. */
static size_t
add_between(struct anon *a, struct buf *out, const char *s, size_t len)
{
	char one[5] = { 0 };
	size_t n = *s == '&' ? entity_length(s, len) : 0;
	uint32_t cp;

	if (n > 2 && s[1] == '#') {
		add_character(a, out, s, n); /* a character by its number */
		return n;
	}
	if (n > 0 || (unsigned char)*s < 0x80) {
		n = MAX(n, 1);
		/* of names: "/" "\" "%", as vCenter writes them */
		if (*s == '%' && len >= 3 &&
		    (strncasecmp(s, "%2f", 3) == 0 ||
		     strncasecmp(s, "%5c", 3) == 0 ||
		     strncasecmp(s, "%25", 3) == 0))
			n = 3;
		buf_add(out, s, n);
		return n;
	}
	memcpy(one, s, MIN(len, 4));
	n = utf8_next(one, &cp, NULL);
	add_character(a, out, s, n);
	return n;
}

void
anon_text(struct anon *a, struct buf *out, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t n = 0;

		while (i + n < len && n < RUN_MAX &&
		       (is_letter(text[i + n]) || is_digit(text[i + n])))
			n++;
		if (n > 0)
			add_token(a, out, text + i, n);
		else
			n = add_between(a, out, text + i, len - i);
		i += n;
	}
}
