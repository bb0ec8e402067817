# shellcheck shell=sh
# check_lib.sh - what the check scripts share; sourced with `.`.
#
# A check looks at the tree $1, or at $top_srcdir; it prints one line per
# finding, "file:line: what", and fails if there was any.
# shellcheck disable=SC2034 # used by who sources this
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-${top_srcdir:-.}}"
findings=0

finding() {
	echo "$1" >&2
	findings=$((findings + 1))
}

# C files below the folders named; generated and fetched ones apart.
c_files() {
	find "$@" \( -name node_modules -o -path web/npm \) -prune -o \
	    -name '*.[ch]' ! -path web/assets.c -print 2>/dev/null | sort
}

# "file:line:code" of files on stdin: comments gone; $1 = 0: strings too.
c_text() {
	xargs awk -v strings="$1" -f "$here/c_text.awk" /dev/null
}

finish() {
	if [ "$findings" -ne 0 ]; then
		echo "$(basename "$0"): $findings findings" >&2
		exit 1
	fi
}
