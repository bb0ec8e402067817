#include "../../collectors/vsphere/anon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* The pseudonym of text; good until the next call. */
static const char *
anon(struct anon *a, const char *text)
{
	static struct buf b;

	buf_fini(&b);
	buf_init(&b, 100000);
	anon_text(a, &b, text, strlen(text));
	return buf_str(&b);
}

static const char *
anon_doc(struct anon *a, const char *xml)
{
	static struct buf b;

	buf_fini(&b);
	buf_init(&b, 100000);
	anon_xml(a, &b, xml, strlen(xml));
	return buf_str(&b);
}

/* Numbered by appearance, per length and kind: worked out by hand. */
static void
test_order(void **state unused)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "esx01", "aaa10" },
		{ "esx02.lab.example", "aaa11.aab.aaaaaaa" },
		{ "ESX01", "AAA10" }, /* capitals stay */
		{ "Esx07", "Aaa12" },
		{ "10.20.0.5", "13.14.0.1" },
		{ "10.20.0.6", "13.14.0.2" },
		{ "", "" },
		{ " -/(.", " -/(." },
		/* words of vSphere, and numbered ones */
		{ "ds:///vmfs/volumes/", "ds:///vmfs/volumes/" },
		{ "vmhba64:C0:T0:L1", "vmhba64:C0:T0:L1" },
		{ "iqn.1998-01.com.vmware:esx01",
		  "iqn.1000-10.com.vmware:aaa10" },
		{ "10.20.0.5:3260", "13.14.0.1:3260" },
		/* hexadecimal words keep looking so */
		{ "naa.600a0b8c", "naa.00000000" },
		{ "naa.600A0B8D", "naa.00000001" },
		/* entities and what vCenter escapes in names */
		{ "a&lt;b&amp;", "a&lt;b&amp;" },
		{ "x%2fy%2520", "c%2fd%2514" },
		/* other alphabets: one for one */
		{ "\xc3\xa4\xe6\x97\xa5\xc3\xa4", "\xc4\x80\xc4\x81\xc4\x80" },
		{ "&#228;", "\xc4\x82" },
	};
	struct anon *a = anon_new();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].in);
		assert_string_equal(anon(a, rows[i].in), rows[i].out);
	}
	anon_free(&a);
	assert_null(a);
}

/* What belongs together still does. */
static void
test_stable(void **state unused)
{
	struct anon *a = anon_new();
	char uuid[64], url[128];

	snprintf(uuid, sizeof(uuid), "%s",
		 anon(a, "5f1c2a3b-11aa22bb-9c3d-0025b5c0a92b"));
	snprintf(url, sizeof(url), "ds:///vmfs/volumes/%s/", uuid);
	assert_string_equal(anon(a,
				 "ds:///vmfs/volumes/5f1c2a3b-11aa22bb-9c3d-"
				 "0025b5c0a92b/"),
			    url);
	assert_int_equal(strlen(uuid), 35);
	assert_null(strstr(uuid, "5f1c2a3b"));
	anon_free(&a);
}

/* 3,000 different names: as many different pseudonyms, of the same shape. */
static void
test_one_for_one(void **state unused)
{
	static char out[3000][16];
	struct anon *a = anon_new();
	char in[16];

	for (int i = 0; i < 3000; i++) {
		snprintf(in, sizeof(in), "%c%c%c-%d", 'z' - i % 7,
			 'z' - i / 7 % 21, 'z' - i / 147 % 26, i);
		snprintf(out[i], sizeof(out[i]), "%s", anon(a, in));
		assert_int_equal(strlen(out[i]), strlen(in));
		assert_int_equal(out[i][3], '-');
	}
	qsort(out, 3000, sizeof(out[0]),
	      (int (*)(const void *, const void *))strcmp);
	for (int i = 1; i < 3000; i++)
		assert_string_not_equal(out[i - 1], out[i]);
	/* all digits are used up, and still one for one */
	for (int i = 0; i < 10; i++) {
		char one[2] = { (char)('0' + i), '\0' };

		assert_int_equal(strlen(anon(a, one)), 1);
	}
	anon_free(&a);
}

/* A name of one letter that happens to be a pseudonym is replaced too, and no
 * pseudonym is a word of vSphere. */
static void
test_no_word(void **state unused)
{
	struct anon *a = anon_new();
	char in[8];

	for (int i = 0; i < 26 * 26; i++) {
		const char *p;

		snprintf(in, sizeof(in), "%c%c", 'a' + i / 26, 'a' + i % 26);
		p = anon(a, in);
		if (strcmp(in, "ds") != 0 && strcmp(in, "fc") != 0 &&
		    strcmp(in, "ha") != 0) {
			assert_string_not_equal(p, "ds");
			assert_string_not_equal(p, "fc");
			assert_string_not_equal(p, "ha");
		}
	}
	anon_free(&a);
}

struct doc {
	const char *in, *out;
};

static void
check_docs(const struct doc *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct anon *a = anon_new();

		print_message("%s\n", rows[i].in);
		assert_string_equal(anon_doc(a, rows[i].in), rows[i].out);
		anon_free(&a);
	}
}

static void
test_xml(void **state unused)
{
	static const struct doc rows[] = {
		/* what is private and what is not */
		{ "<?xml version=\"1.0\"?><r><name>nfs</name><x>true</x></r>",
		  "<?xml version=\"1.0\"?><r><name>nfs</name><x>true</x></r>" },
		{ "<r><name>gold</name><capacity>4398046511104</capacity>"
		  "<name>2024</name><wwn>2305843010430018345</wwn></r>",
		  "<r><name>aaaa</name><capacity>4398046511104</capacity>"
		  "<name>1000</name><wwn>1000000000000000000</wwn></r>" },
		{ "<r><address>10.0.0.5</address><x>10.0.0.5</x></r>",
		  "<r><address>10.0.0.1</address><x>10.0.0.1</x></r>" },
		/* a property: its name stays, its value depends on it */
		{ "<propSet><name>summary.type</name><val>VMFS</val></propSet>"
		  "<propSet><name>summary.name</name><val>77</val></propSet>"
		  "<propSet><name>summary.freeSpace</name><val>77</val>"
		  "</propSet>",
		  "<propSet><name>summary.type</name><val>VMFS</val></propSet>"
		  "<propSet><name>summary.name</name><val>10</val></propSet>"
		  "<propSet><name>summary.freeSpace</name><val>77</val>"
		  "</propSet>" },
		/* references: vCenter's stay, ESXi's are paths and uuids */
		{ "<obj type=\"HostSystem\">host-1001</obj>"
		  "<obj type=\"Folder\">group-d1</obj>"
		  "<obj type=\"Datastore\">192.168.1.10:/c/data</obj>",
		  "<obj type=\"HostSystem\">host-1001</obj>"
		  "<obj type=\"Folder\">group-d1</obj>"
		  "<obj type=\"Datastore\">100.101.0.10:/a/aaaa</obj>" },
		/* attributes: types and namespaces stay */
		{ "<a xmlns:x='u' xsi:type=\"x:T\" serverGuid=\"ab12\">.</a>",
		  "<a xmlns:x='u' xsi:type=\"x:T\" serverGuid=\"0000\">.</a>" },
		/* QueryPerf */
		{ "<e><entity type=\"HostSystem\">host-7</entity>"
		  "<sampleInfoCSV>20,2026-11-30T12:00:00Z</sampleInfoCSV>"
		  "<value><id><counterId>70000</counterId>"
		  "<instance>5f1c2a3b</instance></id>"
		  "<value>-1,116017258324865,20496382304115101234</value>"
		  "</value></e>",
		  "<e><entity type=\"HostSystem\">host-7</entity>"
		  "<sampleInfoCSV>20,2026-11-30T12:00:00Z</sampleInfoCSV>"
		  "<value><id><counterId>70000</counterId>"
		  "<instance>00000000</instance></id>"
		  "<value>-1,116017258324865,20496382304115101234</value>"
		  "</value></e>" },
		/* counters of groups that dslat reads */
		{ "<v><PerfCounterInfo><key>1</key><groupInfo><label>CPU"
		  "</label><key>cpu</key></groupInfo></PerfCounterInfo>"
		  "<PerfCounterInfo><key>2</key><groupInfo><label>Datastore"
		  "</label><key>datastore</key></groupInfo></PerfCounterInfo>"
		  "</v>",
		  "<v>"
		  "<PerfCounterInfo><key>2</key><groupInfo><label>Datastore"
		  "</label><key>datastore</key></groupInfo></PerfCounterInfo>"
		  "</v>" },
		/* closed sets and makers' words, and what is beside them */
		{ "<l><quality>highQuality</quality><namespace>GENERIC_VPD"
		  "</namespace><scsiDiskType>native512</scsiDiskType>"
		  "<revision>2.0 </revision><serialNumber>highQuality"
		  "</serialNumber><policy><policy>VMW_PSP_RR</policy>"
		  "<path>none</path></policy></l>",
		  "<l><quality>highQuality</quality><namespace>GENERIC_VPD"
		  "</namespace><scsiDiskType>native512</scsiDiskType>"
		  "<revision>2.0 </revision><serialNumber>aaaaAaaaaaa"
		  "</serialNumber><policy><policy>VMW_PSP_RR</policy>"
		  "<path>none</path></policy></l>" },
		{ "<key>key-vim.host.MultipathInfo.LogicalUnit-06bf39ae</key>",
		  "<key>key-vim.host.MultipathInfo.LogicalUnit-00000000</key>" },
		/* the server itself */
		{ "<about><name>VMware vCenter Server</name><instanceUuid>"
		  "a1b2</instanceUuid></about>",
		  "<about><name>VMware vCenter Server</name><instanceUuid>"
		  "0000</instanceUuid></about>" },
	};

	check_docs(rows, ARRAY_SIZE(rows));
}

/* Broken or odd: nothing of it slips through. */
static void
test_broken_xml(void **state unused)
{
	static const struct doc rows[] = {
		{ "<a>b<!-- <secret> x > -->c</a>", "<a>ab</a>" },
		{ "<a><![CDATA[secret <b> vmfs]]></a>",
		  "<a><![CDATA[aaaaaa <a> vmfs]]></a>" },
		{ "<a><?secret?>b<![CDATA[secret", "<a>a" },
		{ "<a><!DOCTYPE secret>d</a>", "<a>a</a>" },
		{ "<name>secret", "<name>aaaaaa" },
		{ "<name>x</name", "<name>a" },
		{ "<a secret>t</a>", "<a >a</a>" },
		{ "<a b=\"secret", "" },
		{ "\xef\xbb\xbf<a>b</a>", "\xef\xbb\xbf<a>a</a>" },
		{ "plain secret", "aaaaa aaaaaa" },
		{ "<a x=\">\" y=\"z\">q</a>", "<a x=\">\" y=\"a\">b</a>" },
	};

	check_docs(rows, ARRAY_SIZE(rows));
}

/* Deeper than any answer: what is not known is private. */
static void
test_deep(void **state unused)
{
	struct anon *a = anon_new();
	struct buf b;

	buf_init(&b, 100000);
	for (int i = 0; i < 200; i++)
		buf_adds(&b, "<about>");
	buf_adds(&b, "secret");
	assert_null(strstr(anon_doc(a, "<x><type>secret</type></x>"), "z"));
	buf_reset(&b);
	for (int i = 0; i < 200; i++)
		buf_adds(&b, "<d>");
	buf_adds(&b, "<type>secret</type>");
	for (int i = 0; i < 200; i++)
		buf_adds(&b, "</d>");
	buf_adds(&b, "<type>VMFS</type>");
	assert_null(strstr(anon_doc(a, buf_str(&b)), "secret"));
	assert_non_null(strstr(anon_doc(a, buf_str(&b)), "<type>VMFS</type>"));
	buf_fini(&b);
	anon_free(&a);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_one_for_one),
		cmocka_unit_test(test_no_word),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_broken_xml),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
