/*
 * The life of latency incidents, slot by slot.  Expected logs (see
 * incident_stage.c) are worked out by hand from design section 8 with the
 * built-in thresholds: 3 of 5 slots tell, 15 below 40 ms clear, 45 idle end.
 */
#include <stdlib.h>
#include <string.h>

#include "dslat/mem.h"
#include "incident_stage.h"
#include "unit.h"

#define L5 "lllll"
#define L14 L5 L5 "llll"
#define L15 L5 L5 L5
#define IDLE5 "....."
#define IDLE10 IDLE5 IDLE5
#define IDLE15 IDLE10 IDLE5
#define IDLE44 IDLE10 IDLE10 IDLE10 IDLE10 "...."
#define IDLE45 IDLE44 "."

static const struct life {
	const char *name;
	const char *scripts[3]; /* of one host each */
	const char *log;
} lives[] = {
	/* ---- begin and tell ---- */
	{ "nothing", { L15 L15 }, "" },
	{ "the first breach opens", { "lw" }, "O1 " },
	{ "three in a row are told", { "www" }, "O0 A2 " },
	{ "three of five are told once", { "wlwlw" L5 }, "O0 A4 " },
	{ "four of five too", { "wwlww" }, "O0 A3 " },
	{ "three of six are not", { "wllwlw" }, "O0 " },
	{ "slots of different hosts add up",
	  { "wllll", "lwlll", "llwll" },
	  "O0 A2 " },
	{ "one slot of three hosts is one slot",
	  { "wll", "wll", "wll" },
	  "O0 " },
	{ "a gap counts as a slot", { "w--w-w" }, "O0 " },
	{ "idle slots count as slots", { "w..w.w" }, "O0 " },
	{ "a gap does not begin anew", { "w-w-w" }, "O0 A4 " },
	{ "missing data raises nothing",
	  { "l---------"
	    "----------" },
	  "no_data:lab:host-1:O0 no_data:lab:host-1:A5 "
	  "no_data:lab:u1:O0 no_data:lab:u1:A5 " },
	/* ---- what does not count ---- */
	{ "at or above clear_ms is no breach", { "mmmmm" }, "" },
	{ "few I/Os are none", { "fffff" }, "" },
	{ "sparse below sparse_ms is none", { "sssss" }, "" },
	{ "sparse from sparse_ms is one", { "SSS" }, "O0 A2 " },
	{ "unknown rate counts as loaded", { "uuu" }, "O0 A2 " },
	/* ---- severity: the same window ---- */
	{ "one critical slot is none", { "wwwcwww" }, "O0 A2 " },
	{ "up with the third, down with the second",
	  { "wwwcccwww" },
	  "O0 A2 +5 -8 " },
	{ "down without a breach", { "ccclll" }, "O0 A2 -5 " },
	{ "not down in idle slots", { "ccc" IDLE10 }, "O0 A2 " },
	{ "not down in missing slots", { "ccc---l" }, "O0 A2 -6 " },
	{ "not down while its host is silent",
	  { "ccc---", "llllll" },
	  "O0 A2 " },
	/* ---- the end ---- */
	{ "one breach ends quietly", { "w" L15 }, "O0 E15c " },
	{ "fifteen below clear", { "www" L15 }, "O0 A2 E17c " },
	{ "fourteen are not enough", { "www" L14 }, "O0 A2 " },
	{ "at clear_ms restarts", { "www" L14 "m" L15 }, "O0 A2 E32c " },
	{ "a breach restarts", { "www" L14 "w" L15 }, "O0 A2 E32c " },
	{ "any host of it restarts",
	  { "www" L14 "l" L15, "wll" L14 "m" L15 },
	  "O0 A2 E32c " },
	{ "a host that never breached does not",
	  { "www" L15, "mmm" L15 },
	  "O0 A2 E17c " },
	{ "idle slots hold", { "www" IDLE10 L15 }, "O0 A2 E27c " },
	{ "idle slots between hold", { "www" L14 IDLE10 "l" }, "O0 A2 E27c " },
	{ "few I/Os, slow: hold",
	  { "www"
	    "fffff" L15 },
	  "O0 A2 E22c " },
	{ "sparse, slow: hold",
	  { "www"
	    "sssss" L15 },
	  "O0 A2 E22c " },
	{ "sparse from sparse_ms restarts",
	  { "www" L14 "S" L15 },
	  "O0 A2 E32c " },
	{ "one idle host holds all",
	  { "www" L15, "w.." IDLE10 IDLE5 },
	  "O0 A2 " },
	{ "until it was idle for long",
	  { "www" L15 L15 L14, "w.." IDLE10 IDLE10 IDLE10 IDLE10 "...." },
	  "O0 A2 " /* from slot 45 on, and that gives two */ },
	{ "then the others are counted",
	  { "www" L15 L15 L15 L15, "w.." IDLE45 IDLE15 },
	  "O0 A2 E59c " },
	{ "45 idle slots", { "www" IDLE45 }, "O0 A2 E47i " },
	{ "44 are not enough", { "www" IDLE44 }, "O0 A2 " },
	{ "I/O begins the idle ones anew",
	  { "www" IDLE44 "l" IDLE44 },
	  "O0 A2 " },
	{ "again after the end", { "www" L15 "www" }, "O0 A2 E17c O18 A20 " },
	{ "again, and not told at once", { "www" L15 "w" }, "O0 A2 E17c O18 " },
};

static void
test_lives(void **state unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		struct stage s;
		size_t n = 0;

		while (n < 3 && lives[i].scripts[n] != NULL)
			n++;
		print_message("%s\n", lives[i].name);
		stage_setup(&s, n, 1);
		stage_play(&s, lives[i].scripts, n);
		assert_string_equal(s.log, lives[i].log);
		stage_teardown(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
