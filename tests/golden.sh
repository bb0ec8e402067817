#!/bin/sh
# golden.sh - what the decoders make of each case under tests/golden must be
# its file `expected`.  UPDATE=1 rewrites those; read the difference then.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}"
golden=$top_builddir/tests/golden/golden
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0 n=0
for case in "$top_srcdir"/tests/golden/*/; do
	case=${case%/}
	n=$((n + 1))
	if ! "$golden" "$case" >"$out"; then
		failed=$((failed + 1))
	elif [ "${UPDATE-}" ]; then
		cp "$out" "$case/expected"
	elif ! diff -u "$case/expected" "$out"; then
		failed=$((failed + 1))
	fi
done
echo "golden: $n cases, $failed failed"
[ "$n" -gt 0 ] && [ "$failed" -eq 0 ]
