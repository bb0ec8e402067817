#include "dslat/map.h"

#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"

/*
 * Entries live in insertion order; `slots` is an open-addressing index into
 * them (0 = free, n = entry n-1), never more than half full.  A deleted entry
 * stays as a hole (key NULL) until the next rebuild.
 */
struct entry {
	char *key;
	size_t len;
	uint64_t hash;
	void *value;
};

struct map {
	struct entry *entries;
	size_t n, room, live;
	uint32_t *slots;
	size_t n_slots; /* a power of two */
};

static uint64_t
hash_bytes(const char *s, size_t len)
{
	uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
	return h ^ h >> 32;
}

struct map *
map_new(void)
{
	struct map *m = xcalloc(1, sizeof(*m));

	m->n_slots = 16;
	m->slots = xcalloc(m->n_slots, sizeof(*m->slots));
	return m;
}

void
map_free(struct map **mp)
{
	struct map *m = *mp;

	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n; i++)
		free(m->entries[i].key);
	free(m->entries);
	free(m->slots);
	free(m);
	*mp = NULL;
}

size_t
map_count(const struct map *m)
{
	return m->live;
}

/* The slot that holds the key, or the free one where it would go. */
static size_t
find_slot(const struct map *m, const char *key, size_t len, uint64_t hash)
{
	size_t mask = m->n_slots - 1, i = (size_t)hash & mask;

	for (; m->slots[i] != 0; i = (i + 1) & mask) {
		const struct entry *e = &m->entries[m->slots[i] - 1];

		if (e->key != NULL && e->hash == hash && e->len == len &&
		    memcmp(e->key, key, len) == 0)
			break;
	}
	return i;
}

/* Drop the holes and index what is left. */
static void
rebuild(struct map *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->entries[i].key != NULL)
			m->entries[n++] = m->entries[i];
	m->n = n;
	while (m->n_slots < (n + 1) * 4)
		m->n_slots *= 2;
	free(m->slots);
	m->slots = xcalloc(m->n_slots, sizeof(*m->slots));
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = &m->entries[i];

		m->slots[find_slot(m, e->key, e->len, e->hash)] =
			(uint32_t)i + 1;
	}
}

void
map_set(struct map *m, const char *key, void *value)
{
	size_t len = strlen(key), slot;
	uint64_t hash = hash_bytes(key, len);

	slot = find_slot(m, key, len, hash);
	if (m->slots[slot] != 0) {
		m->entries[m->slots[slot] - 1].value = value;
		return;
	}
	if ((m->n + 1) * 2 > m->n_slots) {
		rebuild(m);
		slot = find_slot(m, key, len, hash);
	}
	if (m->n == m->room) {
		m->room = m->room != 0 ? m->room * 2 : 8;
		m->entries =
			xreallocarray(m->entries, m->room, sizeof(*m->entries));
	}
	m->entries[m->n] = (struct entry){ xstrdup(key), len, hash, value };
	m->slots[slot] = (uint32_t)++m->n;
	m->live++;
}

void *
map_find(const struct map *m, const char *key, size_t len)
{
	size_t slot = find_slot(m, key, len, hash_bytes(key, len));

	return m->slots[slot] != 0 ? m->entries[m->slots[slot] - 1].value
				   : NULL;
}

void *
map_find_str(const struct map *m, const char *key)
{
	return map_find(m, key, strlen(key));
}

void *
map_del(struct map *m, const char *key)
{
	size_t len = strlen(key);
	size_t slot = find_slot(m, key, len, hash_bytes(key, len));
	struct entry *e;

	if (m->slots[slot] == 0)
		return NULL;
	e = &m->entries[m->slots[slot] - 1];
	free(e->key);
	e->key = NULL; /* the slot stays taken: probing must go past it */
	m->live--;
	return e->value;
}

bool
map_next(const struct map *m, size_t *i, const char **key_r, void **value_r)
{
	while (*i < m->n && m->entries[*i].key == NULL)
		(*i)++;
	if (*i >= m->n)
		return false;
	if (key_r != NULL)
		*key_r = m->entries[*i].key;
	*value_r = m->entries[*i].value;
	(*i)++;
	return true;
}
