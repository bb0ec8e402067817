#!/bin/sh
# check_selftest.sh - the check scripts find what they are there to find.
#
# Each case is a small tree that is fine but for one line; the check must fail
# and its finding must hold the words given.  The same tree without that line
# must pass.
set -eu

: "${top_srcdir:=.}"
tests=$(cd "$top_srcdir/tests" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export CHECK_CFLAGS=-D_GNU_SOURCE
cases=0
wrong=0

header() { # NAME INCLUDE: a well-formed header with one more line
	guard=DSLAT_$(echo "$1" | tr a-z A-Z)_H
	printf '#ifndef %s\n#define %s\n%s\n#endif\n' "$guard" "$guard" "$2"
}

good_tree() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree"
	cd "$tmp/tree"
	mkdir -p include/dslat daemon/base daemon/core daemon/shell daemon/cli \
	    collectors/vsphere web tests/unit
	header base '#include <stdint.h>' >include/dslat/base.h
	header ring 'int64_t ring_age_us(void);' |
	    sed '2a #include "dslat/base.h"' >include/dslat/ring.h
	header loop '#include "dslat/ring.h"' >include/dslat/loop.h
	header private '#include "dslat/loop.h"' >web/private.h
	echo '#include "dslat/base.h" /* malloc( in a comment */' \
	    >daemon/base/base.c
	printf '#include "dslat/ring.h"\n#include <string.h>\n' \
	    >daemon/core/ring.c
	header loop_curl '#include <curl/curl.h>' >daemon/shell/loop_curl.h
	printf '#include "dslat/loop.h"\n#include "loop_curl.h"\n' \
	    >daemon/shell/loop.c
	printf 'const char *s = "malloc(1)";\nint time_us;\n' \
	    >daemon/shell/text.c
	printf '#include "dslat/loop.h"\nchar c = %s;\nint page, storage;\n' \
	    "'\"'" >collectors/vsphere/vsphere.c
	echo '#include "dslat/ring.h"' >collectors/vsphere/perf.c
	header http_parts '#include <microhttpd.h>' >web/http_parts.h
	printf '#include "private.h"\n#include "http_parts.h"\n' >web/http.c
	echo 'const char *k = "read_latency_seconds";' >>web/http.c
	echo '#include <cmocka.h>' >tests/unit/test_ring.c
	echo '#include "dslat/loop.h"' >daemon/cli/cli.c
	echo '#include "config.h"' >daemon/main.c
	echo 'int read_clock(void) { return clock_gettime(0, 0); }' \
	    >daemon/base/clock.c
	echo 'void *x(void) { return malloc(1); }' >daemon/base/mem.c
}

# bad CHECK WORDS FILE LINE: LINE appended to FILE is found, with WORDS.
bad() {
	cases=$((cases + 1))
	good_tree
	case $3 in
	*.h) # before the #endif
		if [ -f "$3" ]; then sed '$d' "$3" >"$tmp/h"; else : >"$tmp/h"; fi
		{ cat "$tmp/h"; printf '%s\n#endif\n' "$4"; } >"$3"
		;;
	*) printf '%s\n' "$4" >>"$3" ;;
	esac
	if sh "$tests/$1.sh" "$tmp/tree" >"$tmp/out" 2>&1; then
		echo "$1.sh does not mind in $3: $4" >&2
		wrong=$((wrong + 1))
	elif ! grep -F "$3:" "$tmp/out" | grep -qF "$2"; then
		echo "$1.sh on $3: $4: no \"$2\" in:" >&2
		cat "$tmp/out" >&2
		wrong=$((wrong + 1))
	fi
}

for check in check_layers check_headers check_units check_banned check_size; do
	cases=$((cases + 1))
	good_tree
	if ! sh "$tests/$check.sh" "$tmp/tree" >"$tmp/out" 2>&1; then
		echo "$check.sh minds a good tree:" >&2
		cat "$tmp/out" >&2
		wrong=$((wrong + 1))
	fi
done

bad check_layers 'base includes dslat/ring.h of core' \
    daemon/base/base.c '#include "dslat/ring.h"'
bad check_layers 'pure code includes dslat/loop.h' \
    daemon/core/ring.c '  #  include "dslat/loop.h"'
bad check_layers 'core includes dslat/loop.h of shell' \
    include/dslat/ring.h '#include "dslat/loop.h"'
bad check_layers 'web includes collectors/vsphere/x.h of collectors' \
    web/http.c '#include "collectors/vsphere/x.h"'
bad check_layers 'collectors includes web/private.h of web' \
    collectors/vsphere/vsphere.c '#include "web/private.h"'
bad check_layers 'cli includes web/private.h of web' \
    daemon/cli/cli.c '#include "web/private.h"'
bad check_layers 'pure code includes unistd.h' \
    daemon/core/ring.c '#include <unistd.h>'
bad check_layers 'pure code includes time.h' \
    collectors/vsphere/perf.c '#include <time.h>'
bad check_layers 'pure code includes dslat/log.h' \
    daemon/core/ring.c '#include "dslat/log.h"'
bad check_layers '<curl/curl.h> is for' \
    web/http.c '#include <curl/curl.h>'
bad check_layers '<jansson.h> is for' \
    web/http.c '#include <jansson.h>'
bad check_layers '<microhttpd.h> is for' \
    daemon/main.c '#include <microhttpd.h>'
bad check_layers '<libxml/parser.h> is for' \
    collectors/vsphere/perf.c '#include <libxml/parser.h>'
bad check_layers '<lzma.h> is neither' \
    daemon/shell/loop.c '#include <lzma.h>'
bad check_layers 'base includes config.h' \
    daemon/base/base.c '#include "config.h"'
bad check_layers 'belongs to no layer' \
    daemon/stray.c '#include <string.h>'

bad check_headers 'does not compile alone and twice' \
    include/dslat/ring.h 'size_t ring_size(void);'
bad check_headers 'does not compile alone and twice' \
    web/private.h 'struct private { int n; };
#undef DSLAT_PRIVATE_H'
bad check_headers 'its guard is not DSLAT_OTHER_H' \
    web/other.h '#ifndef OTHER_H
#define OTHER_H'

bad check_units 'ring_age: in which unit?' \
    include/dslat/ring.h 'int64_t ring_age(void);'
bad check_units 'poll_interval: in which unit?' \
    web/private.h 'struct x { int poll_interval; };'
bad check_units 'TIMEOUT: in which unit?' \
    include/dslat/loop.h '#define TIMEOUT 5'
bad check_units 'delay_max: in which unit?' \
    include/dslat/loop.h 'extern int delay_max;'
bad check_units 'poll_interval: in which unit?' \
    daemon/core/ring.c 'static const char key[] = "poll_interval";'
bad check_units 'read_latency: in which unit?' \
    web/http.c 'const char *j = "read_latency";'

bad check_banned 'unbounded' \
    daemon/core/ring.c 'int f(char *p) { return sprintf(p, "x"); }'
bad check_banned 'unbounded' \
    tests/unit/test_ring.c 'int f(char *p) { return atoi (p); }'
bad check_banned 'memory comes from mem.c' \
    daemon/core/ring.c 'void *f(void) { return malloc(1); }'
bad check_banned 'memory comes from mem.c' \
    web/private.h 'static inline char *f(char *p) { return strdup(p); }'
bad check_banned 'the clock is read in clock.c' \
    daemon/shell/loop.c 'int f(void *t) { return clock_gettime(1, t); }'
bad check_banned 'the clock is read in clock.c' \
    collectors/vsphere/perf.c 'long f(void) { return time(0); }'
bad check_banned 'exit belongs to main()' \
    daemon/shell/loop.c 'void f(void) { exit(1); }'
bad check_banned 'JSON comes from json.h' \
    web/http.c 'const char *f = "{\"name\": %s}";'
bad check_banned 'JSON comes from json.h' \
    daemon/core/ring.c 'const char *f = "x\" : %d";'

bad check_size 'split it' daemon/core/ring.c "$(seq 1 600 | sed 's/.*/int a&;/')"

echo "$cases cases, $wrong wrong"
[ "$wrong" -eq 0 ]
