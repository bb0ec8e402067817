#include <getopt.h>
#include <stdio.h>

#include "config.h"

static const char usage_text[] =
	"usage: dslatd [-h] [-V]\n"
	"  -h, --help     print this text\n"
	"  -V, --version  print the version\n";

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c = getopt_long(argc, argv, "hV", options, NULL);

	switch (c) {
	case 'h':
		fputs(usage_text, stdout);
		return 0;
	case 'V':
		puts("dslatd " PACKAGE_VERSION);
		return 0;
	default:
		fputs(usage_text, stderr);
		return 2;
	}
}
