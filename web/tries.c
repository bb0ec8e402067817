#include "web/tries.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* One machine has a whole network of IPv6 addresses. */
static void
shorten(const char *peer, char *out, size_t size)
{
	struct in6_addr a;

	snprintf(out, size, "%s", peer);
	if (inet_pton(AF_INET6, peer, &a) != 1)
		return;
	memset(&a.s6_addr[8], 0, 8);
	inet_ntop(AF_INET6, &a, out, (socklen_t)size);
}

int
tries_count_s(struct tries *t, const char *peer, mono_t now)
{
	struct tries_row *row = &t->rows[0];
	char key[sizeof(row->peer)];
	int64_t age_us;

	shorten(peer, key, sizeof(key));
	for (size_t i = 0; i < TRIES_ADDRESSES; i++) {
		struct tries_row *r = &t->rows[i];

		if (strcmp(r->peer, key) == 0) {
			row = r;
			break;
		}
		if (r->since.us < row->since.us)
			row = r; /* the oldest makes room */
	}
	age_us = mono_diff_us(now, row->since);
	if (strcmp(row->peer, key) != 0 || age_us > TRIES_WINDOW_S * US_PER_S) {
		memcpy(row->peer, key, sizeof(key));
		row->since = now;
		row->n = 0;
		age_us = 0;
	}
	if (++row->n <= TRIES_FREE)
		return 0;
	return TRIES_WINDOW_S - (int)(age_us / US_PER_S) + 1;
}
