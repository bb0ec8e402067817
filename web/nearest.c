#include "web/nearest.h"

#include <string.h>

#define NAME_MAX_BYTES 96 /* longer ones are compared for equality only */

static int
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Insertions, deletions and replacements that make one word of another;
 * case does not matter. */
static size_t
distance(const char *a, const char *b, size_t len_b)
{
	size_t row[NAME_MAX_BYTES + 1];

	for (size_t j = 0; j <= len_b; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);
			size_t best = diagonal + (same ? 0 : 1);

			best = MIN(best, row[j - 1] + 1);
			best = MIN(best, row[j] + 1);
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[len_b];
}

void
nearest_init(struct nearest *n, const char *wrong)
{
	*n = (struct nearest){ .wrong = wrong, .best_distance = SIZE_MAX };
}

void
nearest_try(struct nearest *n, const char *name, const char *value)
{
	size_t len_a = strlen(n->wrong), len_b = strlen(name), d;

	if (strcasecmp(n->wrong, name) == 0) {
		d = 0;
	} else {
		size_t longer = MAX(len_a, len_b);
		size_t apart = longer - MIN(len_a, len_b);

		if (longer > NAME_MAX_BYTES || apart * 3 > longer ||
		    apart >= n->best_distance)
			return;
		d = distance(n->wrong, name, len_b);
		if (d * 3 > longer)
			return;
	}
	if (d >= n->best_distance)
		return;
	n->best = value;
	n->best_distance = d;
}
