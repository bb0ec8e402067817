#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const names[MODEL_FIELDS] = {
	"totalReadLatency",
	"totalWriteLatency",
	"numberReadAveraged",
	"numberWriteAveraged",
	"read",
	"write",
};

static void
add_quoted(struct buf *out, const char *s)
{
	if (strpbrk(s, ",\"\r\n") == NULL) {
		buf_adds(out, s);
		return;
	}
	buf_addc(out, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"')
			buf_addc(out, '"');
		buf_addc(out, *s);
	}
	buf_addc(out, '"');
}

static void
add_row(const struct model *m, const struct pair *p, int64_t slot,
	struct buf *out)
{
	const struct scene *s = m->scene;
	struct model_sample v;
	char text[REAL_TEXT_SIZE];

	add_quoted(out, s->hosts[p->host].name);
	buf_addc(out, ',');
	add_quoted(out, s->dss[p->ds].uuid);
	buf_addf(out, ",%s",
		 real_format((real_t){ slot * SLOT_S * US_PER_S }, text));
	model_sample(m, p, slot, &v);
	for (size_t i = 0; i < MODEL_FIELDS; i++) {
		int64_t x = v.v[i];
		char counter[64];

		if (p->events != 0) {
			snprintf(counter, sizeof(counter),
				 "datastore.%s.average", names[i]);
			(void)model_raw(m, p, slot, counter, &x);
		}
		if (!model_has_slot(m, p->host, slot))
			x = -1;
		buf_addf(out, ",%" PRId64, x);
	}
	buf_addc(out, '\n');
}

void
oracle_csv(const struct model *m, real_t from, real_t to, struct buf *out)
{
	const struct scene *s = m->scene;
	int64_t first = from.us / US_PER_S / SLOT_S + 1;
	int64_t last = to.us / US_PER_S / SLOT_S;

	buf_adds(out,
		 "host,datastore_uuid,slot_end_time,read_ms,write_ms,"
		 "read_per_s,write_per_s,read_kib_per_s,"
		 "write_kib_per_s\n");
	for (size_t h = 0; h < s->n_hosts; h++)
		for (size_t d = 0; d < s->n_dss; d++) {
			const struct pair *p = &s->dss[d].pairs[h];

			if (s->hosts[h].gone || !scene_ds_listed(&s->dss[d]) ||
			    s->dss[d].no_perf || !p->mounted ||
			    !p->proto->has_perf)
				continue;
			for (int64_t slot = first; slot <= last; slot++)
				add_row(m, p, slot, out);
		}
}
