#!/bin/sh
# web/fetch.sh without npm, from a server of our own: what the lock file names
# arrives whole, anything else is refused.
set -eu
export LC_ALL=C

: "${top_srcdir:=.}"
fetch=$(cd "$top_srcdir/web" && pwd)/fetch.sh
tmp=$(mktemp -d)
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || :
	rm -rf "$tmp"
}
trap cleanup EXIT
unset http_proxy all_proxy ALL_PROXY
failed=0
bad() { echo "$1"; cat "$tmp/err"; failed=1; }

# the package, as a registry has it, and its checksum as Python reckons it
mkdir -p "$tmp/package/dist" "$tmp/www/uplot/-" "$tmp/lock"
echo 'export default 1;' >"$tmp/package/dist/uPlot.esm.js"
echo 'a licence' >"$tmp/package/LICENSE"
tar -czf "$tmp/www/uplot/-/uplot-1.2.3.tgz" -C "$tmp" package
lock() { # VERSION [ANOTHER-FIRST-BYTE]
	python3 - "$tmp" "$@" <<'END'
import base64, hashlib, json, sys
top, version = sys.argv[1:3]
with open(f"{top}/www/uplot/-/uplot-1.2.3.tgz", "rb") as f:
    data = f.read()
if len(sys.argv) > 3:
    data = sys.argv[3].encode() + data[1:]
digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
packages = {"": {"dependencies": {"uplot": version}},
            "node_modules/other": {"version": "9", "integrity": "sha512-x"},
            "node_modules/uplot": {"version": version,
                                   "integrity": f"sha512-{digest}"}}
with open(f"{top}/lock/package-lock.json", "w") as f:
    json.dump({"packages": packages}, f, indent=2)
END
}

python3 -u -m http.server --bind 127.0.0.1 -d "$tmp/www" 0 \
    >"$tmp/server" 2>&1 &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$tmp/server")
	[ -z "$port" ] || break
	sleep 0.1
done

run() {
	rm -rf "$tmp/into"
	NPM=: npm_config_registry=http://127.0.0.1:$port/ \
	    sh "$fetch" "$tmp/lock" "$tmp/into" 2>"$tmp/err"
}

lock 1.2.3
run || bad 'the package named was not fetched'
diff -r "$tmp/package" "$tmp/into/node_modules/uplot" ||
    bad 'the package differs'
lock 1.2.3 X
! run || bad 'a package with another checksum was taken'
grep -q 'is not the one of' "$tmp/err" || bad 'no word about the checksum'
[ ! -e "$tmp/into/node_modules" ] || bad 'and it was unpacked'
lock 1.2.4
! run || bad 'a package that is not there was taken'
sed -i '/integrity/d' "$tmp/lock/package-lock.json"
! run || bad 'a package without a checksum was taken'
grep -q 'no sha512' "$tmp/err" || bad 'no word about it'
exit $failed
