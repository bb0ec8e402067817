#include "store_roll.h"

#include <stdlib.h>

#include "dslat/log.h"
#include "dslat/mem.h"
#include "dslat/zip.h"

#define BODY_MAX_BYTES ((size_t)8 << 20)
#define BINS STORE_BINS_PER_HOUR
#define HOURS STORE_HOURS_PER_DAY

struct rolls {
	struct roll bins[BINS];
	struct hist bin_hists[BINS][N_OPS];
	struct roll hours[HOURS];
	struct hist hour_hists[HOURS][N_OPS];
	struct roll_cell *cells; /* of one slot */
	size_t room;
	struct buf body;
};

struct rolls *
rolls_new(void)
{
	struct rolls *r = xcalloc(1, sizeof(*r));

	buf_init(&r->body, BODY_MAX_BYTES);
	return r;
}

void
rolls_free(struct rolls **r)
{
	if (*r == NULL)
		return;
	buf_fini(&(*r)->body);
	free((*r)->cells);
	free(*r);
	*r = NULL;
}

int
put_body(struct db_stmt *st, int64_t id, const struct buf *plain, struct err *e)
{
	struct buf packed;
	int rc;

	buf_init(&packed, BODY_MAX_BYTES);
	zip_pack(buf_str(plain), plain->len, &packed);
	assert(!packed.full && !plain->full);
	db_bind_int(st, 1, id);
	db_bind_blob(st, 2, packed.data, packed.len);
	rc = db_run(st, e);
	buf_fini(&packed);
	return rc;
}

static void
make_bins(struct rolls *r, const struct rolls_from *from)
{
	int64_t first = chunk_first_slot(from->hour);

	if (from->n > r->room) {
		r->cells = xreallocarray(r->cells, from->n, sizeof(*r->cells));
		r->room = from->n;
	}
	for (size_t b = 0; b < BINS; b++)
		roll_init(&r->bins[b], r->bin_hists[b]);
	for (size_t i = 0; i < CHUNK_SLOTS; i++) {
		for (size_t k = 0; k < from->n; k++)
			r->cells[k] = (struct roll_cell){ &from->cells[k][i],
							  from->pairs[k] };
		roll_add_slot(&r->bins[i / ROLL_5MIN_SLOTS], first + (int64_t)i,
			      r->cells, from->n, from->threshold);
	}
}

static int
put_bins(struct rolls *r, struct db *db, int64_t id, int64_t hour,
	 struct err *e)
{
	struct db_stmt *st = db_prepare(
		db, "INSERT OR REPLACE INTO bin5 (id, body) VALUES (?, ?)", e);

	if (st == NULL)
		return -1;
	buf_reset(&r->body);
	for (size_t b = 0; b < BINS; b++)
		roll_encode(&r->bins[b],
			    chunk_first_slot(hour) +
				    (int64_t)b * ROLL_5MIN_SLOTS,
			    &r->body);
	return put_body(st, id, &r->body, e);
}

static bool
decode_day(struct rolls *r, const struct buf *plain, int64_t first_hour)
{
	const uint8_t *p = (const uint8_t *)buf_str(plain);
	const uint8_t *end = p + plain->len;

	for (int64_t h = 0; h < HOURS; h++)
		if (!roll_decode(&p, end, chunk_first_slot(first_hour + h),
				 &r->hours[h]))
			return false;
	return p == end;
}

/* The day's rolls as they are now; empty where there are none. */
static int
read_day(struct rolls *r, struct db *db, int64_t id, int64_t first_hour,
	 struct err *e)
{
	struct db_stmt *st =
		db_prepare(db, "SELECT body FROM bin60 WHERE id = ?", e);
	const uint8_t *body;
	struct err bad;
	size_t len;
	int rc;

	for (size_t h = 0; h < HOURS; h++)
		roll_init(&r->hours[h], r->hour_hists[h]);
	if (st == NULL)
		return -1;
	db_bind_int(st, 1, id);
	rc = db_step(st, e);
	if (rc <= 0)
		return rc;
	body = db_blob(st, 0, &len);
	buf_reset(&r->body);
	if (zip_unpack(body, len, &r->body, &bad) != 0 ||
	    !decode_day(r, &r->body, first_hour)) {
		log_warn("store",
			 "hours of row %lld of bin60 are damaged and begun "
			 "anew",
			 (long long)id);
		for (size_t h = 0; h < HOURS; h++)
			roll_init(&r->hours[h], r->hour_hists[h]);
	}
	db_reset(st);
	return 0;
}

static int
put_hour(struct rolls *r, struct db *db, uint32_t series, int64_t hour,
	 struct err *e)
{
	int64_t day = store_day(hour), first_hour = day * HOURS;
	int64_t id = store_key(day, series);
	struct roll *roll = &r->hours[hour - first_hour];
	struct db_stmt *st = db_prepare(
		db, "INSERT OR REPLACE INTO bin60 (id, body) VALUES (?, ?)", e);

	if (st == NULL || read_day(r, db, id, first_hour, e) != 0)
		return -1;
	roll_init(roll, r->hour_hists[hour - first_hour]);
	for (size_t b = 0; b < BINS; b++)
		roll_merge(roll, &r->bins[b]);
	buf_reset(&r->body);
	for (int64_t h = 0; h < HOURS; h++)
		roll_encode(&r->hours[h], chunk_first_slot(first_hour + h),
			    &r->body);
	return put_body(st, id, &r->body, e);
}

int
rolls_put(struct rolls *r, struct db *db, uint32_t series,
	  const struct rolls_from *from, struct err *e)
{
	make_bins(r, from);
	if (put_bins(r, db, store_key(from->hour, series), from->hour, e) != 0)
		return -1;
	return put_hour(r, db, series, from->hour, e);
}
