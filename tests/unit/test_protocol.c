#include "dslat/protocol.h"

#include <string.h>

#include "unit.h"

/* The words of the API contract, with the family each is compared in. */
static const struct {
	const char *name, *family;
	bool measured;
} words[] = {
	{ "nfs3", "nfs", true },       { "nfs41", "nfs", true },
	{ "cifs", "cifs", true },      { "iscsi", "iscsi", true },
	{ "iser", "iscsi", true },     { "fc", "fc", true },
	{ "fcoe", "fc", true },        { "nvme-tcp", "nvme", true },
	{ "nvme-rdma", "nvme", true }, { "nvme-fc", "nvme", true },
	{ "nvme-pcie", "nvme", true }, { "sas", "sas", true },
	{ "local", "local", true },    { "vsan", "vsan", false },
	{ "vvol", "vvol", true },      { "pmem", "pmem", false },
	{ "mixed", "mixed", true },    { "unknown", "unknown", true },
};

static void
test_words(void **state unused)
{
	enum protocol p;
	unsigned seen = 0;

	assert_int_equal(ARRAY_SIZE(words), N_PROTOCOLS);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_true(protocol_from_name(words[i].name, &p));
		assert_string_equal(protocol_name(p), words[i].name);
		assert_string_equal(protocol_family(p), words[i].family);
		assert_int_equal(protocol_is_measured(p), words[i].measured);
		seen |= 1u << p;
	}
	assert_int_equal(seen, (1u << N_PROTOCOLS) - 1);
}

static void
test_not_words(void **state unused)
{
	static const char *const not [] = { "", "nfs", "NFS3", "nfs3 ",
					    "nvme" };
	enum protocol p = PROTO_VVOL;

	for (size_t i = 0; i < ARRAY_SIZE(not ); i++)
		assert_false(protocol_from_name(not [i], &p));
	assert_int_equal(p, PROTO_VVOL);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_not_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
