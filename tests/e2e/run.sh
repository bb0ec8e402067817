#!/bin/bash
# run.sh DSLATD DSLAT-SIM DIR - the page: types, units under node, browser.
#
# Works on a copy in DIR, where npm puts what package-lock.json names; pictures
# of the page are left there.  Prints one PASS: or FAIL: line per case.
set -euo pipefail
export LC_ALL=C.UTF-8

[ $# -eq 3 ] || { sed -n '2s/^# /usage: /p' "$0" >&2; exit 2; }
dslatd=$(realpath "$1")
sim=$(realpath "$2")
src=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$3"
dir=$(cd "$3" && pwd)

mkdir -p "$dir/tree/web" "$dir/tree/tests/e2e" "$dir/out"
cp -R "$src/web/assets" "$src/web/package.json" "$dir/tree/web/"
cp -R "$src/tests/e2e/." "$dir/tree/tests/e2e/"
cd "$dir/tree/tests/e2e"
if ! cmp -s package-lock.json node_modules/.of-lock; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cp package-lock.json node_modules/.of-lock
fi

rc=0
case_of() { # NAME COMMAND...
	if "${@:2}"; then
		echo "PASS: e2e/$1"
	else
		echo "FAIL: e2e/$1"
		rc=1
	fi
}

for f in "$dir"/tree/web/assets/*.js; do
	[ "$(wc -l <"$f")" -lt 300 ] || { echo "$f: 300 lines or more"; false; }
done
case_of types node_modules/.bin/tsc -p .
node --test --test-reporter=tap unit.test.mjs >"$dir/out/unit.tap" || rc=1
sed -nE 's/^ok [0-9]+ - /PASS: e2e\/unit: /p; s/^not ok [0-9]+ - /FAIL: e2e\/unit: /p' \
    "$dir/out/unit.tap"
grep -q '^# fail 0$' "$dir/out/unit.tap" || cat "$dir/out/unit.tap"
# In real time, and each waits most of it: at once.
timeout 240 node incidents.mjs "$dslatd" "$sim" "$dir/out" \
    >"$dir/out/incidents.log" 2>&1 &
other=$!
timeout 240 node page.mjs "$dslatd" "$sim" "$dir/out" || rc=1
wait "$other" || rc=1
cat "$dir/out/incidents.log"
exit $rc
