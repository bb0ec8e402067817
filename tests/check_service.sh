#!/bin/sh
# The systemd unit: systemd reads it without complaint, and its exposure is at
# most 2.0 of 10 (systemd-analyze counts in tenths here).
set -eu

: "${top_srcdir:=.}" "${top_builddir:=.}"
if ! command -v systemd-analyze >/dev/null; then
	echo "systemd-analyze is not installed" >&2
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

unit=$tmp/dslatd.service
# the program as built, so that verify finds it
sed "s,^ExecStart=[^ ]*,ExecStart=$(realpath "$top_builddir")/dslatd," \
    "$top_builddir/packaging/dslatd.service" >"$unit"
if grep '@[a-z]*@' "$unit"; then
	echo "a path is not filled in" >&2
	exit 1
fi
systemd-analyze verify --man=no "$unit" 2>"$tmp/verify"
if grep "$unit" "$tmp/verify"; then
	exit 1
fi
systemd-analyze security --offline=true --threshold=20 "$unit" | tail -n 1

# the same measure refuses a unit without the protections
sed '/^Protect/d; /^Private/d; /^SystemCallFilter/d; /^CapabilityB/d' \
    "$unit" >"$tmp/weak.service"
if systemd-analyze security --offline=true --threshold=20 \
    "$tmp/weak.service" >/dev/null 2>&1; then
	echo "a weak unit passes: this test measures nothing" >&2
	exit 1
fi
