#include "web/sessions.h"

#include <string.h>

static bool
is_over(const struct session *s, mono_t now)
{
	return mono_diff_us(now, s->used) > SESSION_IDLE_S * US_PER_S ||
		mono_diff_us(now, s->began) > SESSION_MAX_S * US_PER_S;
}

static void
drop(struct sessions *s, size_t i)
{
	s->rows[i] = s->rows[--s->n];
}

/* Looks at every row, whichever it is; NULL: none. */
static struct session *
find(struct sessions *s, const char *cookie)
{
	unsigned char sha256[SHA256_BYTES];
	struct session *found = NULL;

	digest_sha256(cookie, strlen(cookie), sha256);
	for (size_t i = 0; i < s->n; i++)
		if (digest_equal(s->rows[i].sha256, sha256, sizeof(sha256)))
			found = &s->rows[i];
	return found;
}

static void
make_room(struct sessions *s, mono_t now)
{
	size_t oldest = 0;

	for (size_t i = s->n; i-- > 0;)
		if (is_over(&s->rows[i], now))
			drop(s, i);
	if (s->n < SESSIONS_MAX)
		return;
	for (size_t i = 1; i < s->n; i++)
		if (s->rows[i].used.us < s->rows[oldest].used.us)
			oldest = i;
	drop(s, oldest);
}

void
sessions_begin(struct sessions *s, const unsigned char token[SHA256_BYTES],
	       mono_t now, char cookie[SHA256_HEX_SIZE])
{
	unsigned char bits[SHA256_BYTES];
	struct session *row;

	make_room(s, now);
	row = &s->rows[s->n++];
	digest_random(bits, sizeof(bits));
	digest_hex(bits, sizeof(bits), cookie);
	digest_sha256(cookie, strlen(cookie), row->sha256);
	memcpy(row->token, token, SHA256_BYTES);
	row->began = row->used = now;
}

const unsigned char *
sessions_find(struct sessions *s, const char *cookie, mono_t now)
{
	struct session *row = find(s, cookie);

	if (row == NULL || is_over(row, now))
		return NULL;
	row->used = now;
	return row->token;
}

void
sessions_end(struct sessions *s, const char *cookie)
{
	struct session *row = find(s, cookie);

	if (row != NULL)
		drop(s, (size_t)(row - s->rows));
}
