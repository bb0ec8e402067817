/*
 * dslat compare: two sides in a table, and in a sentence which is slower.
 */
#include <math.h>
#include <string.h>

#include "cell.h"
#include "cli.h"
#include "dslat/side.h"
#include "kind.h"
#include "spark.h"

#define TEXT_BYTES 16384
#define MAX_SHARES 32

enum { COL_OP, COL_WHAT, COL_A, COL_B, COL_DIFFERENCE, COL_RATIO, N_COLS };

static const char *const ops[] = { "read", "write" };
static const char *const sides[] = { "a", "b" };

/* ---- the sides ----------------------------------------------------------- */

/* "nfs" -> "family:nfs", a name -> its ID.  -1: *status_r, reason printed. */
static int
add_term(const struct cli *c, const char *term, struct buf *out, int *status_r)
{
	struct kind_name name = { term, NULL, false };
	const struct kind *kind = &kind_datastore;
	enum side_key key = SIDE_DATASTORE;
	enum protocol p;
	json_t *row;

	if (side_key_of(term, &key, &name.text)) {
		if (key == SIDE_HOST)
			kind = &kind_host;
		else if (key != SIDE_DATASTORE)
			return buf_adds(out, term);
	} else if (side_is_family(term)) {
		return buf_addf(out, "family:%s", term);
	} else if (protocol_from_name(term, &p)) {
		return buf_addf(out, "protocol:%s", term);
	}
	row = kind_find(kind, c, &name, status_r);
	if (row == NULL)
		return -1;
	buf_addf(out, "%s:%s", side_key_name(key), js_text(row, "id"));
	json_decref(row);
	return 0;
}

static int
add_side(const struct cli *c, const char *text, struct buf *out, int *status_r)
{
	for (;;) {
		size_t len = side_term_len(text);
		struct buf term;
		int rc;

		buf_init(&term, TEXT_BYTES);
		buf_add(&term, text, len);
		rc = add_term(c, buf_str(&term), out, status_r);
		buf_fini(&term);
		if (rc != 0)
			return -1;
		if (text[len] == '\0')
			return 0;
		buf_addc(out, ',');
		text += len + 1;
	}
}

static int
add_path(const struct cli *c, struct buf *path, int *status_r)
{
	static const struct {
		const char *name;
		enum cli_option opt;
	} times[] = {
		{ "from", OPT_FROM },     { "to", OPT_TO },
		{ "a_from", OPT_A_FROM }, { "a_to", OPT_A_TO },
		{ "b_from", OPT_B_FROM }, { "b_to", OPT_B_TO },
	};

	buf_adds(path, "/api/v1/compare");
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		struct buf side;
		int rc;

		buf_init(&side, TEXT_BYTES);
		rc = add_side(c, c->names[i], &side, status_r);
		api_add_param(path, sides[i], buf_str(&side));
		buf_fini(&side);
		if (rc != 0)
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		api_add_param(path, times[i].name, c->opt[times[i].opt]);
	return 0;
}

/* ---- the table ----------------------------------------------------------- */

/* At so many decimals; what rounds to zero has no sign. */
static void
add_number(struct table *t, double v, int decimals, bool sign)
{
	double least = decimals == 0 ? 0.5 : decimals == 1 ? 0.05 : 0.005;

	if (isnan(v))
		table_cell(t, STYLE_FAINT, "-");
	else if (fabs(v) < least)
		table_cellf(t, STYLE_PLAIN, "%.*f", decimals, 0.0);
	else
		table_cellf(t, STYLE_PLAIN, sign ? "%+.*f" : "%.*f", decimals,
			    v);
}

struct row {
	const char *op, *what;
	double a, b, difference, ratio;
	int decimals;
};

static void
add_row(struct table *t, const struct row *r)
{
	table_row(t);
	table_cell(t, STYLE_PLAIN, r->op);
	table_cell(t, STYLE_PLAIN, r->what);
	add_number(t, r->a, r->decimals, false);
	add_number(t, r->b, r->decimals, false);
	add_number(t, r->difference, r->decimals, true);
	add_number(t, r->ratio, 2, false);
}

static double
divide(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static const json_t *
figures_of(const json_t *v, size_t side, const char *op)
{
	return json_object_get(json_object_get(v, sides[side]), op);
}

/* Bars of the shares of samples of 1 ms or more, 2 ms or more, ... */
static void
add_shares(struct table *t, const json_t *v, const char *op,
	   const struct term *term)
{
	double shares[MAX_SHARES];
	bool any = false;
	struct buf b;

	table_row(t);
	table_cell(t, STYLE_PLAIN, op);
	table_cell(t, STYLE_PLAIN, "1 ms ... 1 s or more");
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		const json_t *e =
			json_object_get(figures_of(v, i, op), "exceedance");
		const json_t *all = json_object_get(e, "share_ratio");
		size_t n = MIN(json_array_size(all), (size_t)MAX_SHARES);

		for (size_t j = 0; j < n; j++)
			shares[j] = json_number_value(json_array_get(all, j));
		buf_init(&b, TEXT_BYTES);
		spark_add(&b, shares, n, term->ascii);
		table_cell(t, STYLE_PLAIN, n != 0 ? buf_str(&b) : "-");
		buf_fini(&b);
		any |= n != 0;
	}
	table_cell(t, STYLE_PLAIN, any ? "" : "-");
	table_cell(t, STYLE_PLAIN, any ? "" : "-");
}

static void
add_op(struct table *t, const json_t *v, const char *op,
       const struct term *term)
{
	static const struct {
		const char *what, *key;
		int decimals;
	} figures[] = {
		{ "mean ms, by I/Os", "mean_ms", 1 },
		{ "90 % below ms", "p90_ms", 1 },
		{ "99 % below ms", "p99_ms", 1 },
		{ "largest ms", "max_ms", 1 },
		{ "s over threshold", "over_s", 0 },
	};
	const json_t *r = json_object_get(v, op);
	struct row row = { op,
			   "median ms, compared",
			   js_num(r, "a_median_ms"),
			   js_num(r, "b_median_ms"),
			   js_num(r, "difference_ms"),
			   js_num(r, "ratio"),
			   1 };
	double a = js_num(r, "a_iops"), b = js_num(r, "b_iops");

	add_row(t, &row);
	row = (struct row){ op,    "I/Os per s, compared", a, b,
			    a - b, divide(a, b),           0 };
	add_row(t, &row);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		a = js_num(figures_of(v, 0, op), figures[i].key);
		b = js_num(figures_of(v, 1, op), figures[i].key);
		row = (struct row){
			op,           figures[i].what,    a, b, a - b,
			divide(a, b), figures[i].decimals
		};
		add_row(t, &row);
	}
	add_shares(t, v, op, term);
}

static void
print_table(const struct cli *c, const json_t *v)
{
	const struct column columns[N_COLS] = {
		[COL_OP] = { "OP", false, false, 0 },
		[COL_WHAT] = { "", false, true, 1 },
		[COL_A] = { js_text(json_object_get(v, "a"), "name"), true,
			    true, 0 },
		[COL_B] = { js_text(json_object_get(v, "b"), "name"), true,
			    true, 0 },
		[COL_DIFFERENCE] = { "DIFFERENCE", true, false, 2 },
		[COL_RATIO] = { "RATIO", true, false, 3 },
	};
	struct table *t = table_new(columns, N_COLS);

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		add_op(t, v, ops[i], &c->term);
	table_print(t, &c->term, stdout);
	table_free(&t);
}

static void
print_all(const struct cli *c, const json_t *v)
{
	const json_t *row;

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		const json_t *side = json_object_get(v, sides[i]);

		cli_say(c, stdout, "%s: %s to %s, %.0f (host, datastore) pairs",
			js_text(side, "name"), js_text(side, "from"),
			js_text(side, "to"), js_num(side, "pairs_n"));
	}
	print_table(c, v);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		const json_t *all =
			json_object_get(json_object_get(v, ops[i]), "warnings");

		for (size_t j = 0; (row = json_array_get(all, j)) != NULL; j++)
			cli_say(c, stdout, "note (%ss): %s", ops[i],
				json_string_value(row));
	}
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		cli_say(c, stdout, "%s",
			js_text(json_object_get(v, ops[i]), "sentence"));
}

int
cmd_compare(struct cli *c)
{
	int status = CLI_OK;
	struct buf path;
	struct err e;
	json_t *v;

	if (c->n_names != 2) {
		cli_say(c, stderr,
			"dslat: compare which two sides? As nfs and iscsi, or "
			"two datastores");
		return CLI_USAGE;
	}
	buf_init(&path, (size_t)4 * TEXT_BYTES);
	if (add_path(c, &path, &status) != 0) {
		/* said already */
	} else if (c->opt[OPT_JSON] != NULL) {
		status = cli_pass(c, buf_str(&path));
	} else if ((v = api_json(c->api, buf_str(&path), &e)) == NULL) {
		status = cli_fail(c, &e);
	} else {
		print_all(c, v);
		json_decref(v);
	}
	buf_fini(&path);
	return status;
}
