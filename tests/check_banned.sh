#!/bin/sh
# check_banned.sh [TREE] - functions that have no place here.
#
# Rows: files they are allowed in (a pattern, or none), folders looked at, the
# functions, why.
. "$(dirname "$0")/check_lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
in_product='^(daemon|collectors|web|include)/'

c_files include daemon collectors web tests | c_text 0 >"$tmp/code"
c_files daemon collectors web include | c_text 1 >"$tmp/text"

# ban WHY ALLOWED-IN PATH-PATTERN FUNCTION...: calls of these are findings.
ban() {
	why=$1 allowed=$2 paths=$3
	shift 3
	calls=$(printf '%s|' "$@")
	calls=${calls%|}
	grep -E "$paths" "$tmp/code" | grep -Ev "$allowed" |
	    grep -E "^[^:]*:[0-9]*:(.*[^A-Za-z0-9_.>])?($calls)[ 	]*\\(" |
	    sed "s/^\\([^:]*:[0-9]*:\\)[ 	]*/\\1 $why: /" >"$tmp/hits" || :
	while read -r line; do
		finding "$line"
	done <"$tmp/hits"
}

ban 'unbounded, locale-bound or shared state' '^$' . \
    strcpy strcat stpcpy sprintf vsprintf strncpy strncat strtok atoi atol \
    atoll atof gets scanf fscanf sscanf system popen localtime gmtime ctime \
    asctime strerror_l alloca tmpnam mktemp
ban 'memory comes from mem.c' '^daemon/base/mem\.c:' "$in_product" \
    malloc calloc realloc reallocarray strdup strndup asprintf vasprintf \
    posix_memalign aligned_alloc memdup
ban 'the clock is read in clock.c' '^daemon/base/clock\.c:' "$in_product" \
    time clock clock_gettime gettimeofday ftime timespec_get clock_nanosleep \
    nanosleep usleep sleep
ban 'exit belongs to main()' '^daemon/(main|cli/)' "$in_product" \
    exit _exit quick_exit

# JSON is built by json.h, never by printf: no key in a literal.
grep -E '\{\\"|\\"[ ]*:' "$tmp/text" |
    sed 's/^\([^:]*:[0-9]*:\)[ 	]*/\1 JSON comes from json.h: /' \
    >"$tmp/hits" || :
while read -r line; do
	finding "$line"
done <"$tmp/hits"
finish
