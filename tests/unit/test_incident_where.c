/*
 * The sentence that says where to look: design section 8, word by word, and
 * what it is made from in the model.
 */
#include <stdlib.h>
#include <string.h>

#include "../../daemon/core/incident_private.h"
#include "dslat/depth.h"
#include "dslat/mem.h"
#include "incident_stage.h"
#include "unit.h"

/* One letter per host esx1, esx2...: S slow, f fine, i some I/O, . none. */
static char *
where(const char *letters, const struct where_host *worst)
{
	static const char *const names[] = { "esx1", "esx2", "esx3", "esx4",
					     "esx5", "esx6", "esx7", "esx8" };
	struct where_host hosts[8];
	size_t n = strlen(letters);

	for (size_t i = 0; i < n; i++)
		hosts[i] = (struct where_host){
			.name = names[i],
			.is_slow = letters[i] == 'S',
			.is_fine = letters[i] == 'f',
			.has_io = letters[i] != '.',
			.device_us = worst->device_us,
			.kernel_us = worst->kernel_us,
			.queue_us = worst->queue_us,
		};
	return incident_where(hosts, n);
}

static void
test_hosts(void **state unused)
{
	static const struct where_host unknown = { .device_us = -1,
						   .kernel_us = -1,
						   .queue_us = -1 };
	static const struct {
		const char *letters, *text;
	} cases[] = {
		{ "ffSfffff",
		  "only esx3, the other 7 hosts with I/O are fine: "
		  "its path" },
		{ "Sf",
		  "only esx1, the other host with I/O is fine: its path" },
		{ "S", "esx1 is the only host with I/O" },
		{ "..S.....", "esx3 is the only host with I/O" },
		{ "..S.i...", "esx3 is the only host with enough I/O to tell" },
		{ "SSSSSSSS", "all 8 hosts: the array or its network" },
		{ "SS..S.i.",
		  "all 3 hosts with I/O: the array or its network" },
		{ "SfSffffS",
		  "3 of 8 hosts with I/O (esx1, esx3 and esx8): what "
		  "these have in common" },
		{ "Sf.S",
		  "2 of 3 hosts with I/O (esx1 and esx4): what these "
		  "have in common" },
		{ "SSSSSSfS",
		  "7 of 8 hosts with I/O (esx1, esx2, esx3, esx4, "
		  "esx5 and 2 more): what these have in common" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = where(cases[i].letters, &unknown);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
	assert_null(where("ffi.", &unknown));
}

static void
test_depth(void **state unused)
{
	static const struct {
		struct where_host h;
		const char *text; /* behind "esx1 is the only host with I/O" */
	} cases[] = {
		{ { .device_us = 82000, .kernel_us = 1000, .queue_us = 0 },
		  "; device 82 ms, kernel 1 ms: beyond the host" },
		{ { .device_us = 2500, .kernel_us = 80000, .queue_us = 78000 },
		  "; kernel 80 ms (queue 78 ms), device 2.5 ms: the host's own "
		  "queue" },
		{ { .device_us = 2000, .kernel_us = 80000, .queue_us = 1000 },
		  "; kernel 80 ms, device 2 ms: the host itself" },
		{ { .device_us = 2000, .kernel_us = 80000, .queue_us = -1 },
		  "; kernel 80 ms, device 2 ms: the host itself" },
		{ { .device_us = -1, .kernel_us = 80000, .queue_us = 0 }, "" },
		{ { .device_us = 0, .kernel_us = 0, .queue_us = 0 }, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = where("S", &cases[i].h), *all;

		all = xasprintf("esx1 is the only host with I/O%s",
				cases[i].text);
		assert_string_equal(text, all);
		free(text);
		free(all);
	}
}

/* Where the time is the host's own, nothing beyond it is blamed. */
static void
test_kernel_of_some(void **state unused)
{
	static const struct where_host queue = { .device_us = 2000,
						 .kernel_us = 80000,
						 .queue_us = 78000 };
	static const struct {
		const char *letters, *text;
	} cases[] = {
		{ "ffSf",
		  "only esx3, the other 3 hosts with I/O are fine; kernel 80 "
		  "ms (queue 78 ms), device 2 ms: the host's own queue" },
		{ "Sf",
		  "only esx1, the other host with I/O is fine; kernel 80 ms "
		  "(queue 78 ms), device 2 ms: the host's own queue" },
		{ ".SS",
		  "all 2 hosts with I/O; kernel 80 ms (queue 78 ms), device 2 "
		  "ms on esx2: the host's own queue" },
		{ "SfS",
		  "2 of 3 hosts with I/O (esx1 and esx3); kernel 80 ms (queue "
		  "78 ms), device 2 ms on esx1: the host's own queue" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = where(cases[i].letters, &queue);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static const char *
where_now(const struct stage *s)
{
	return incidents_at(s->i, 0)->where;
}

/* From samples: whose I/O counts, and that late hosts are heard. */
static void
test_model(void **state unused)
{
	struct stage s;

	stage_setup(&s, 4, 1);
	stage_play(&s, (const char *const[]){ "w", "-", "f", "." }, 4);
	assert_string_equal(where_now(&s),
			    "esx1 is the only host with enough I/O to tell");
	stage_put(&s, 1, 0, s.slot, OP_READ, stage_letter('l'));
	stage_poll(&s);
	assert_string_equal(
		where_now(&s),
		"only esx1, the other host with I/O is fine: its path");
	stage_play(&s, (const char *const[]){ "w", "l", "l", "." }, 4);
	assert_string_equal(where_now(&s),
			    "only esx1, the other 2 hosts with I/O are fine: "
			    "its path");
	stage_play(&s, (const char *const[]){ "w", "w", "c", "." }, 4);
	assert_string_equal(where_now(&s),
			    "all 3 hosts with I/O: the array or "
			    "its network");
	/* Long after: the sentence is about then. */
	stage_play(&s,
		   (const char *const[]){ "llllllllllll", "llllllllllll",
					  "llllllllllll", "llllllllllll" },
		   4);
	assert_string_equal(where_now(&s),
			    "all 3 hosts with I/O: the array or "
			    "its network");
	stage_teardown(&s);
}

/* Device and kernel are those of the worst host at its worst. */
static void
test_model_depth(void **state unused)
{
	static const struct {
		enum layer layer;
		int32_t us;
	} values[] = { { LAYER_DEVICE, 78000 },
		       { LAYER_KERNEL, 2000 },
		       { LAYER_QUEUE, 1000 } };
	struct stage s;

	stage_setup(&s, 2, 1);
	s.inv->datastores[0].protocol = PROTO_ISCSI;
	stage_apply(&s);
	stage_play(&s, (const char *const[]){ "wc", "ll" }, 2);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const struct lun_use use = { s.ds[0]->pairs[0], 0 };

		depth_put(&use, s.slot, layer_field(values[i].layer, OP_READ),
			  false, values[i].us);
	}
	stage_play(&s, (const char *const[]){ "w", "l" }, 2);
	assert_string_equal(
		where_now(&s),
		"only esx1, the other host with I/O is fine: its path; device "
		"78 ms, kernel 2 ms: beyond the host");
	stage_teardown(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_kernel_of_some),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_model_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
