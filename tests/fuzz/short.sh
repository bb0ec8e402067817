#!/bin/sh
# short.sh FUZZER - run a libFuzzer program for $FUZZ_S seconds (5) on a copy of
# its corpus; prints one PASS or FAIL line.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
name=${1##*/fuzz_}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seeds=$top/tests/fuzz/corpus/$name
dict=$top/tests/fuzz/$name.dict
set -- "$1" -max_total_time="${FUZZ_S:-5}" -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$PWD/$name-" "$work"
[ ! -f "$dict" ] || set -- "$@" -dict="$dict"
if [ -z "$(ls "$seeds")" ]; then
	echo "FAIL: fuzz/$name (no corpus)"
	exit 1
fi
if "$@" "$seeds" >"$work.log" 2>&1; then
	grep -E 'number_of_executed_units|new_units' "$work.log" || :
	rm -f "$work.log"
	echo "PASS: fuzz/$name"
else
	cat "$work.log"
	rm -f "$work.log"
	echo "FAIL: fuzz/$name"
	exit 1
fi
