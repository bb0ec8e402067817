#include <stdlib.h>
#include <string.h>

#include "conf_keys.h"
#include "dslat/mem.h"

#define WORD_MAX 48 /* longer keys resemble none */

/* Edits (insert, delete, replace, swap neighbours) between two words. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[3][WORD_MAX + 1], n_a = strlen(a), n_b = strlen(b);

	if (n_a > WORD_MAX || n_b > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= n_b; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *now = row[i % 3], *before = row[(i + 2) % 3];
		const size_t *two_before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);

			best = MIN(best, MIN(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				best = MIN(best, two_before[j - 2] + 1);
			now[j] = best;
		}
	}
	return row[n_a % 3][n_b];
}

/* "crit_ms" shortens "critical_ms". */
static bool
shortens(const char *key, const char *word)
{
	if (key[0] != word[0])
		return false;
	for (; *key != '\0' && *word != '\0'; word++)
		key += *key == *word;
	return *key == '\0';
}

/* How unlike they are; WORD_MAX: not the same word. */
static size_t
unlikeness(const char *key, const char *word)
{
	size_t d = distance(key, word), n_key = strlen(key);

	if (d * 3 <= MAX(n_key, strlen(word)))
		return d;
	/* "interval" is a part of "poll_interval_s" */
	if (n_key >= 4 && (strstr(word, key) != NULL || shortens(key, word)))
		return d;
	return WORD_MAX;
}

static bool
is_usable(const struct conf_key *k)
{
	return k->type != CONF_LATER && k->type != CONF_REFUSED;
}

static const struct conf_key *
nearest(const struct conf_key *section, const char *key)
{
	const struct conf_key *best = NULL;
	size_t best_d = WORD_MAX;
	const struct conf_key *k;

	for (size_t i = 0; (k = conf_key_at(i)) != NULL; i++) {
		size_t d;

		/* Its own keys, and those it is like. */
		if (!is_usable(k) ||
		    conf_key_find(section, conf_key_name(k)) != k)
			continue;
		d = unlikeness(key, conf_key_name(k));
		if (d < best_d) {
			best = k;
			best_d = d;
		}
	}
	return best;
}

/* The section that has exactly this key, as a person would write it. */
static char *
elsewhere(const char *key)
{
	const struct conf_key *k;

	for (size_t i = 0; (k = conf_key_at(i)) != NULL; i++) {
		const char *name = conf_key_name(k);
		char *path, *place, *end;

		if (!is_usable(k) || name == k->path || strcmp(name, key) != 0)
			continue;
		path = xstrndup(k->path, (size_t)(name - k->path) - 1);
		place = strrchr(path, '.');
		place = xstrdup(place != NULL ? place + 1 : path);
		end = strstr(place, "[]");
		if (end != NULL)
			*end = '\0';
		free(path);
		return place;
	}
	return NULL;
}

void
conf_unknown_key(struct conf_reader *r, const struct conf_key *section,
		 struct yaml_node *n)
{
	const struct conf_key *k = nearest(section, n->key);
	char *place = elsewhere(n->key);

	n->hint = k;
	if (place != NULL)
		fault_add(r->faults, n->key_at,
			  "\"%s\" is not known here; it belongs in \"%s\"",
			  n->key, place);
	else if (k != NULL)
		fault_add(r->faults, n->key_at,
			  "\"%.*s\" is not known; did you mean \"%s\"?",
			  CONF_SHOWN_MAX, n->key, conf_key_name(k));
	else
		fault_add(r->faults, n->key_at,
			  "\"%.*s\" is not known; remove it, or see "
			  "dslatd.yaml(5) for what is",
			  CONF_SHOWN_MAX, n->key);
	free(place);
}
