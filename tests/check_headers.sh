#!/bin/sh
# check_headers.sh [TREE] - every header compiles alone, and twice.
# $CC and $CHECK_CFLAGS (set by make) say how.
. "$(dirname "$0")/check_lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for header in $(c_files include daemon collectors web tests | grep '\.h$'); do
	printf '#include "%s"\n#include "%s"\n' "$PWD/$header" "$PWD/$header" \
	    >"$tmp/twice.c"
	# shellcheck disable=SC2086 # CC and flags are words
	${CC:-cc} ${CHECK_CFLAGS-} -I. -Iinclude -Wall -Wextra -Werror \
	    -fsyntax-only "$tmp/twice.c" >"$tmp/out" 2>&1 || {
		cat "$tmp/out" >&2
		finding "$header:1: does not compile alone and twice"
	}
	base=${header##*/}
	case $header in
	tests/sim/*) prefix=SIM ;; # has a model.h of its own, and so on
	*) prefix=DSLAT ;;
	esac
	guard=${prefix}_$(echo "${base%.h}" | tr a-z- A-Z_)_H
	if ! grep -q "^#ifndef $guard\$" "$header" ||
	    ! grep -q "^#define $guard\$" "$header"; then
		finding "$header:1: its guard is not $guard"
	fi
done
finish
