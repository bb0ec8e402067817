/*
 * Expected values are small sums, done by hand beside the cases; the figures
 * of a whole site are held against brute force by tests/web/test_compare.py.
 */
#include "dslat/compare.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#define HOUR_US (3600 * US_PER_S)

static const struct threshold limits = {
	.warning_us = 50000,
	.critical_us = 75000,
	.clear_us = 40000,
	.min_ios = 20,
	.sparse_us = 1000000,
};

static struct compare *
begin(const char *a, const char *b, bool paired, int64_t step_slots)
{
	struct compare_conf conf = {
		.span = { { { 0 }, { HOUR_US } }, { { 0 }, { HOUR_US } } },
		.paired = paired,
		.step_slots = step_slots,
	};
	struct err e;

	assert_int_equal(side_parse(a, &conf.side[COMPARE_A], &e), 0);
	assert_int_equal(side_parse(b, &conf.side[COMPARE_B], &e), 0);
	if (!paired)
		conf.span[COMPARE_B].from.us = HOUR_US / 2;
	return compare_new(&conf);
}

/* A pair of host h with a datastore of that protocol. */
static bool
pair(struct compare *c, enum compare_side s, unsigned h, enum protocol p)
{
	static const char *const ids[] = { "t:h0", "t:h1", "t:h2", "t:h3" };
	static const char *const names[] = { "esx0", "esx1", "esx2", "esx3" };
	const struct side_pair sp = {
		.target = "t",
		.datastore = p == PROTO_NFS3 ? "t:nfs" : "t:iscsi",
		.datastore_name = p == PROTO_NFS3 ? "gold" : "block",
		.host = ids[h],
		.host_name = names[h],
		.protocol = p,
	};

	return compare_pair(c, s, &sp, &limits);
}

/* Reads; writes are missing. */
static void
cell(struct compare *c, enum compare_side s, int64_t slot, int ms, int ios)
{
	const struct cell v = { { ms * 1000, -1, ios, -1, 8, -1 } };

	compare_cell(c, s, slot, &v);
}

static void
finish(struct compare *c)
{
	while (!compare_step(c))
		;
}

static const char *
sentence(const struct compare *c, enum op op)
{
	static char text[2000];
	struct buf b;

	buf_init(&b, sizeof(text));
	compare_sentence(c, op, &b);
	assert_true(b.len < sizeof(text));
	memcpy(text, buf_str(&b), b.len + 1);
	buf_fini(&b);
	return text;
}

static void
add_line(void *arg, const char *text)
{
	buf_addf(arg, "%s\n", text);
}

static const char *
warnings(const struct compare *c)
{
	static char text[4000];
	struct buf b;

	buf_init(&b, sizeof(text));
	compare_warnings(c, OP_READ, add_line, &b);
	memcpy(text, buf_str(&b), b.len + 1);
	buf_fini(&b);
	return text;
}

/* Weighted over the pairs with min_ios; the others only in the figures. */
static void
test_samples(void **state unused)
{
	struct compare *c = begin("family:nfs", "family:iscsi", true, 1);
	const struct compare_op *r;

	assert_false(pair(c, COMPARE_A, 0, PROTO_ISCSI));
	assert_true(pair(c, COMPARE_A, 0, PROTO_NFS3));
	cell(c, COMPARE_A, 1000, 10, 100);
	cell(c, COMPARE_A, 1001, 10, 19); /* too few I/Os */
	assert_true(pair(c, COMPARE_A, 1, PROTO_NFS3));
	cell(c, COMPARE_A, 1000, 50, 300);
	cell(c, COMPARE_A, 1002, 7, 20);
	cell(c, COMPARE_A, 990, 3, 20);   /* before the first */
	cell(c, COMPARE_A, 1003, 900, 0); /* sparse: 1 to 19 I/Os */
	assert_true(pair(c, COMPARE_B, 0, PROTO_ISCSI));
	cell(c, COMPARE_B, 1000, 20, 40);
	cell(c, COMPARE_B, 5000, 20, 40);
	finish(c);
	r = compare_result(c, OP_READ);
	assert_int_equal(r->stats.a_n, 1);
	/* (10 * 100 + 50 * 300) / 400 = 40 */
	assert_true(r->stats.a_median_ms == 40 && r->stats.b_median_ms == 20);
	assert_true(r->stats.difference_ms == 20 && r->stats.ratio == 2);
	assert_true(r->side[COMPARE_A].iops == 20); /* 400 in 20 s */
	assert_true(r->side[COMPARE_B].iops == 2);
	assert_int_equal(r->side[COMPARE_A].samples_n, 3);
	assert_int_equal(r->side[COMPARE_B].samples_n, 2);
	assert_int_equal(r->side[COMPARE_A].hosts_n, 2);
	assert_int_equal(r->side[COMPARE_A].all->busy_n, 6);
	assert_int_equal(r->side[COMPARE_A].all->weight, 460);
	assert_int_equal(r->side[COMPARE_A].all->max_us, 900000);
	assert_int_equal(r->side[COMPARE_A].all->over_n, 1);
	assert_string_equal(r->side[COMPARE_A].place.host_name, "esx1");
	assert_int_equal(compare_pairs_n(c, COMPARE_A), 2);
	assert_string_equal(sentence(c, OP_READ),
			    "no difference shown: 1 paired 20 s samples in "
			    "which reads of both NFS and iSCSI have enough I/O "
			    "(min_ios); 30 are needed");
	assert_string_equal(sentence(c, OP_WRITE),
			    "no difference shown: NFS has no 20 s samples of "
			    "writes with enough I/O (min_ios)");
	compare_free(&c);
}

/* A side of n slots from `first`, the value the same throughout. */
static void
run(struct compare *c, enum compare_side s, int64_t first, int n, int ms)
{
	for (int i = 0; i < n; i++)
		cell(c, s, first + i, ms, 200);
}

static void
test_sentences(void **state unused)
{
	static const struct {
		int a_ms, b_ms;
		const char *want;
	} cases[] = {
		{ 8, 5,
		  "NFS reads were 3.0 ms slower than iSCSI (95 % interval 3.0 "
		  "to 3.0 ms, n = 60 paired 20 s samples); the medians are 8.0 "
		  "and 5.0 ms; of two samples at random, NFS is slower in 100 "
		  "%" },
		{ 5, 125,
		  "iSCSI reads were 120 ms slower than NFS (95 % interval 120 "
		  "to 120 ms, n = 60 paired 20 s samples); the medians are 125 "
		  "and 5.0 ms; of two samples at random, iSCSI is slower in "
		  "100 %" },
		{ 100, 104,
		  "no difference shown: reads of NFS and iSCSI differ by 4.0 "
		  "ms, iSCSI slower (95 % interval 4.0 to 4.0 ms, n = 60 "
		  "paired 20 s samples); less than 5.0 ms does not count" },
		{ 4, 4,
		  "no difference shown: reads of NFS and iSCSI do not differ "
		  "(95 % interval 0.00 to 0.00 ms, n = 60 paired 20 s "
		  "samples); less than 0.50 ms does not count" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct compare *c =
			begin("family:nfs", "family:iscsi", true, 1);

		pair(c, COMPARE_A, 0, PROTO_NFS3);
		run(c, COMPARE_A, 100, 60, cases[i].a_ms);
		pair(c, COMPARE_B, 0, PROTO_ISCSI);
		run(c, COMPARE_B, 100, 60, cases[i].b_ms);
		finish(c);
		assert_string_equal(sentence(c, OP_READ), cases[i].want);
		assert_string_equal(warnings(c), "");
		compare_free(&c);
	}
}

static void
test_uncertain(void **state unused)
{
	struct compare *c = begin("family:nfs", "family:iscsi", true, 1);

	pair(c, COMPARE_A, 0, PROTO_NFS3);
	for (int i = 0; i < 60; i++) /* 2, -19, 2, -19, 31 more */
		cell(c, COMPARE_A, 100 + i,
		     (int[]){ 31, 10, 31, 10, 60 }[i / 12], 200);
	pair(c, COMPARE_B, 0, PROTO_ISCSI);
	run(c, COMPARE_B, 100, 60, 29);
	finish(c);
	assert_int_equal(compare_result(c, OP_READ)->stats.verdict,
			 VERDICT_NONE);
	assert_non_null(strstr(sentence(c, OP_READ),
			       "; the interval includes 0; about "));
	compare_free(&c);
}

static void
test_other_times(void **state unused)
{
	struct compare *c = begin("family:nfs", "family:nfs", false, 1);

	pair(c, COMPARE_A, 0, PROTO_NFS3);
	run(c, COMPARE_A, 100, 40, 20);
	pair(c, COMPARE_B, 0, PROTO_NFS3);
	run(c, COMPARE_B, 400, 50, 6);
	finish(c);
	assert_string_equal(
		sentence(c, OP_READ),
		"NFS (before) reads were 14.0 ms slower than NFS (after) (95 % "
		"interval 14.0 to 14.0 ms, n = 40 and 50 20 s samples, not "
		"paired); the medians are 20.0 and 6.0 ms; of two samples at "
		"random, NFS (before) is slower in 100 %");
	compare_free(&c);

	/* loaded in turns: nothing pairs */
	c = begin("family:nfs", "family:iscsi", true, 1);
	pair(c, COMPARE_A, 0, PROTO_NFS3);
	run(c, COMPARE_A, 100, 40, 20);
	pair(c, COMPARE_B, 0, PROTO_ISCSI);
	run(c, COMPARE_B, 140, 50, 6);
	finish(c);
	assert_non_null(strstr(sentence(c, OP_READ),
			       "; they have 40 and 50, but at other times"));
	compare_free(&c);
}

static void
test_warnings(void **state unused)
{
	struct compare *c = begin("target:t", "family:iscsi", true, 1);

	for (unsigned h = 0; h < 4; h++) {
		pair(c, COMPARE_A, h, PROTO_NFS3);
		for (int i = 0; i < 80; i++)
			cell(c, COMPARE_A, i, i < 40 ? 9 : 2,
			     i < 40 ? 100 : 300);
	}
	assert_true(pair(c, COMPARE_A, 0, PROTO_ISCSI)); /* without I/O */
	pair(c, COMPARE_B, 0, PROTO_ISCSI);
	run(c, COMPARE_B, 0, 80, 5);
	finish(c);
	/* 4 hosts: 20 and 60 per second, 40 on average; one with 10 */
	assert_string_equal(
		warnings(c),
		"target t did 4 times as many reads per second as iSCSI (40 "
		"against 10): the difference may come from the load\n"
		"iSCSI was used by 1 host only, target t by 4: the difference "
		"may be that of the hosts\n"
		"1 (host, datastore) pair is on both sides: what they share "
		"cannot differ\n"
		"the load of target t changed: 20 reads per second in the "
		"first half of the samples, 60 in the second\n"
		"the difference changed: target t minus iSCSI is 4.0 ms in the "
		"first half of the samples, -3.0 ms in the second\n"
		"the difference changes slowly (in 99 % of cases it is on the "
		"same side of its median as just before): the interval may be "
		"too narrow\n");
	compare_free(&c);

	c = begin("family:nfs", "family:iscsi", true, 1);
	pair(c, COMPARE_A, 0, PROTO_NFS3);
	run(c, COMPARE_A, 0, 40, 2);
	pair(c, COMPARE_B, 0, PROTO_ISCSI);
	run(c, COMPARE_B, 0, 40, 1);
	finish(c);
	assert_string_equal(warnings(c),
			    "vSphere counts whole milliseconds: 1 ms may be "
			    "rounding\n");
	compare_free(&c);
}

/* Bins of 5 minutes: 40 rolls of 15 samples each. */
static void
test_bins(void **state unused)
{
	struct compare *c = begin("family:nfs", "family:iscsi", true, 15);
	const struct compare_op *r;
	struct hist hists[N_OPS];
	struct roll roll;

	for (enum compare_side s = 0; s < N_COMPARE_SIDES; s++) {
		pair(c, s, 2, s == COMPARE_A ? PROTO_NFS3 : PROTO_ISCSI);
		for (int bin = 0; bin < 40; bin++) {
			memset(hists, 0, sizeof(hists));
			roll_init(&roll, hists);
			for (int i = 1; i <= 15; i++) {
				const struct cell v = {
					{ s == COMPARE_A ? 4000 + 1000 * i
							 : 6000,
					  -1, bin == 39 ? 19 : 20, -1, 8, -1 }
				};
				const struct roll_cell rc = { &v, 77 };

				roll_add_slot(&roll, bin * 15 + i, &rc, 1,
					      &limits);
			}
			compare_roll(c, s, bin * 15 + 15, &roll);
		}
	}
	finish(c);
	r = compare_result(c, OP_READ);
	assert_int_equal(r->stats.a_n, 39);      /* one has not the I/Os */
	assert_true(r->stats.a_median_ms == 12); /* 4 + mean of 1 ... 15 */
	assert_true(r->stats.difference_ms == 6);
	assert_true(fabs(r->side[COMPARE_A].iops - 1) < 1e-9);
	assert_int_equal(r->side[COMPARE_A].all->busy_n, 600);
	assert_int_equal(r->side[COMPARE_A].all->max_us, 19000);
	assert_int_equal(hist_at_least(r->side[COMPARE_A].all->hist, 19000),
			 40);
	assert_string_equal(r->side[COMPARE_A].place.host_name, "esx2");
	assert_non_null(
		strstr(sentence(c, OP_READ), "n = 39 paired means of 5 min)"));
	compare_free(&c);
}

/* What was fed before a reset is gone. */
static void
test_reset(void **state unused)
{
	struct compare *c = begin("family:nfs", "family:iscsi", true, 1);

	pair(c, COMPARE_A, 0, PROTO_NFS3);
	run(c, COMPARE_A, 100, 60, 70);
	pair(c, COMPARE_B, 0, PROTO_ISCSI);
	run(c, COMPARE_B, 100, 60, 70);
	compare_reset(c, COMPARE_A);
	pair(c, COMPARE_A, 1, PROTO_NFS3);
	run(c, COMPARE_A, 120, 35, 2);
	finish(c);
	assert_int_equal(compare_result(c, OP_READ)->stats.a_n, 35);
	assert_int_equal(
		compare_result(c, OP_READ)->side[COMPARE_A].all->max_us, 2000);
	assert_int_equal(compare_pairs_n(c, COMPARE_A), 1);
	compare_free(&c);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_uncertain),
		cmocka_unit_test(test_other_times),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
