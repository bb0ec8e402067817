#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "http.h"

static const char filler[] = "<value>0</value>";

struct stream {
	struct sim *sim;
	char *data;
	size_t len;
	size_t cut;         /* where filler goes in, or the connection ends */
	uint64_t fill_left; /* bytes of filler; UINT64_MAX: no end */
	bool close_at_cut;
	int64_t bytes_per_s;
	bool begun;
};

bool
stream_wanted(const struct spoil *sp)
{
	return sp->drip_bytes_per_s > 0 || sp->close_bytes >= 0 ||
		sp->endless || sp->huge_bytes > 0;
}

/* pos counts body and filler; returns how much was written. */
static ssize_t
produce(struct stream *st, uint64_t pos, char *out, size_t max)
{
	size_t n;

	if (pos < st->cut) {
		n = MIN(max, st->cut - (size_t)pos);
		memcpy(out, st->data + pos, n);
		return (ssize_t)n;
	}
	if (st->close_at_cut)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (pos - st->cut < st->fill_left) {
		n = (size_t)MIN((uint64_t)max, st->fill_left - (pos - st->cut));
		for (size_t i = 0; i < n; i++)
			out[i] = filler[(pos - st->cut + i) %
					(sizeof(filler) - 1)];
		return (ssize_t)n;
	}
	pos -= st->fill_left;
	if (pos >= st->len)
		return MHD_CONTENT_READER_END_OF_STREAM;
	n = MIN(max, st->len - (size_t)pos);
	memcpy(out, st->data + pos, n);
	return (ssize_t)n;
}

static ssize_t
reader(void *arg, uint64_t pos, char *out, size_t max)
{
	struct stream *st = arg;

	if (st->bytes_per_s > 0) {
		max = MIN(max, (size_t)st->bytes_per_s);
		if (st->begun && http_wait_ms(st->sim, 1000))
			return MHD_CONTENT_READER_END_WITH_ERROR;
		st->begun = true;
	}
	return produce(st, pos, out, max);
}

static void
stream_free(void *arg)
{
	struct stream *st = arg;

	free(st->data);
	free(st);
}

struct MHD_Response *
stream_response(struct sim *s, const struct spoil *sp, struct buf *body)
{
	struct stream *st = xcalloc(1, sizeof(*st));
	uint64_t size;
	char *tail;

	st->sim = s;
	st->len = st->cut = body->len;
	st->data = buf_take(body);
	st->bytes_per_s = sp->drip_bytes_per_s;
	if (sp->close_bytes >= 0) {
		st->close_at_cut = true;
		st->cut = sp->close_bytes > 0 ? (size_t)sp->close_bytes
					      : st->len / 2;
		st->cut = MIN(st->cut, st->len);
	} else if (sp->endless || sp->huge_bytes > 0) {
		tail = strstr(st->data, "\n</soapenv:Body>");
		st->cut = tail != NULL ? (size_t)(tail - st->data) : st->len;
		st->fill_left = sp->endless ? UINT64_MAX
					    : (uint64_t)sp->huge_bytes -
				(uint64_t)sp->huge_bytes % (sizeof(filler) - 1);
	}
	size = sp->endless ? MHD_SIZE_UNKNOWN : st->len + st->fill_left;
	return MHD_create_response_from_callback(size, 32768, reader, st,
						 stream_free);
}
