#!/bin/sh
# recorded.sh - answers of a real vCenter 8.0.3 through the decoders.
#
# $DSLAT_RECORDED is the folder of recordings (../shared/recorded beside the
# source tree when not set).  golden/recorded.py takes the bodies out, and works
# out by itself, with another XML parser, what the decoders must say.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}"
recorded=${DSLAT_RECORDED:-$top_srcdir/../shared/recorded}
golden=$top_builddir/tests/golden/golden
python=/usr/bin/python3

if [ ! -d "$recorded/pyvmomi" ]; then
	echo "recorded: skipped, no recordings in $recorded"
	exit 77
fi
if ! "$python" -c 'import yaml' 2>/dev/null; then
	echo "recorded: skipped, needs python3 with yaml (python3-yaml)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$top_srcdir/tests/golden/recorded.py" "$recorded" "$work" || exit 1
failed=0 n=0
for case in "$work"/*/; do
	case=${case%/}
	n=$((n + 1))
	"$golden" "$case" >"$work/out" || failed=$((failed + 1))
	diff -u "$case/expected" "$work/out" || failed=$((failed + 1))
done
echo "recorded: $n cases, $failed failed"
[ "$n" -gt 0 ] && [ "$failed" -eq 0 ]
