#!/bin/sh
# cli.sh - every command of dslat against a running dslatd, whose target has
# names that break programs.
set -eu
export LC_ALL=C.UTF-8

: "${top_srcdir:=.}" "${top_builddir:=.}"
tmp=$(mktemp -d)
pids=
cleanup() {
	for pid in $pids; do
		kill "$pid" 2>/dev/null || :
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
failed=0
unset DSLAT_URL

bad() {
	echo "$what: $1"
	sed 's/^/	out: /' "$tmp/out" | head -n 40
	sed 's/^/	err: /' "$tmp/err"
	failed=1
}

# run WANTED-EXIT-CODE ARGUMENT...: dslat, its output in $tmp/out and err
run() {
	want=$1
	shift
	what="dslat $*"
	rc=0
	"$top_builddir/dslat" --url "unix:$tmp/http.sock" "$@" >"$tmp/out" \
	    2>"$tmp/err" </dev/null || rc=$?
	[ "$rc" -eq "$want" ] || bad "exit code $rc, not $want"
}

out_has() { # PATTERN
	grep -q -- "$1" "$tmp/out" || bad "no $1"
}

err_has() { # PATTERN
	grep -q -- "$1" "$tmp/err" || bad "no $1, but $(cat "$tmp/err")"
}

# wait_for TEXT COMMAND...: until its output has the text, at most 20 s
wait_for() {
	text=$1
	shift
	i=0
	until "$@" 2>/dev/null | grep -q -- "$text"; do
		i=$((i + 1))
		if [ $i -gt 200 ]; then
			echo "$*: no $text"
			cat "$tmp"/*.log
			exit 1
		fi
		sleep 0.1
	done
}

"$top_builddir/tests/sim/dslat-sim" "$top_srcdir/tests/sim/scenes/names.scene" \
    >"$tmp/sim.log" 2>&1 </dev/null &
pids="$pids $!"
wait_for 'listening on ' cat "$tmp/sim.log"
cat >"$tmp/password" <<'END'
a b&c<d>e"f'g
END
chmod 600 "$tmp/password"
cat >"$tmp/dslatd.yaml" <<END
listen: unix:$tmp/http.sock
state_dir: $tmp/state
targets:
  - name: lab
    url: $(sed -n 's/.*listening on //p' "$tmp/sim.log")
    username: user name@vsphere.local
    password_file: $tmp/password
END
"$top_builddir/dslatd" -c "$tmp/dslatd.yaml" >"$tmp/dslatd.log" 2>&1 \
    </dev/null &
daemon=$!
pids="$pids $daemon"
wait_for '^lab  *ok ' "$top_builddir/dslat" -u "unix:$tmp/http.sock" status
# the newest slot is announced before its values: wait for a first sample
wait_for '"read_ms":[0-9]' "$top_builddir/dslat" -u "unix:$tmp/http.sock" \
    datastores --json

run 0 status
out_has '^lab  *ok  *VirtualCenter 8.0.3  *3  *21 '
run 0 hosts
[ "$(wc -l <"$tmp/out")" -eq 4 ] || bad 'not 3 hosts'
run 0 datastores
[ "$(wc -l <"$tmp/out")" -eq 22 ] || bad 'not 21 datastores'
out_has '^new\\x0aline  '
out_has '^tab\\x09here  '
out_has '^Größe – naïve 日本語'
run 0 datastores --protocol nfs --target lab
[ "$(wc -l <"$tmp/out")" -eq 17 ] || bad 'not 16 on NFS'

# by ID, all of them; by name where there is one of that name
run 0 datastores --json
grep -o '"id":"lab:[^"]*"' "$tmp/out" | sed 's/^"id":"//; s/"$//' >"$tmp/ids"
[ "$(wc -l <"$tmp/ids")" -eq 21 ] || bad 'not 21 ids'
while read -r id; do
	run 0 datastores "$id"
	out_has "^ID  *$id\$"
	run 0 series "$id" --points 5 --spark
	out_has '^READ ms  '
done <"$tmp/ids"
run 0 hosts --json
grep -o '"id":"lab:[^"]*"' "$tmp/out" | sed 's/^"id":"//; s/"$//' >"$tmp/ids"
while read -r id; do
	run 0 hosts "$id"
	out_has "^ID  *$id\$"
done <"$tmp/ids"
for name in 'slash/name' 'lab/slash/name' 'double "quote"' \
    'percent %2f encoded' 'percent 100%' ' leading and trailing ' \
    '=cmd()' "new
line" 'Größe – naïve 日本語 🗄'; do
	run 0 datastores "$name"
	out_has '^threshold  *warning 50 ms, critical 75 ms (default)$'
	run 0 series "$name" --host esx01.lab.example --from -10m --metric \
	    read_ms,write_iops
	out_has '^UNTIL (UTC)  *READ ms  MAX READ ms  WRITES/s  MAX WRITES/s$'
done
run 0 hosts esx01
out_has "^lab/esx01.lab.example: ok$"
run 1 datastores twin
grep -q '"twin" is the name of 2 datastores' "$tmp/err" || bad 'no candidates'

run 0 peaks --from -1h --limit 3
[ "$(wc -l <"$tmp/out")" -eq 4 ] || bad 'not 3 peaks'
run 0 peaks --json --limit 1
out_has '^{"from":"20'
run 2 peaks --from yesterday
run 2 peaks --limit 0

run 0 export --from -10m
out_has '^time_utc,target,datacenter,host,datastore,protocol,read_ms,'
out_has 'Z,lab,.*,esx01.lab.example,"\{0,1\}slash/name'
run 0 export 'slash/name' --host esx01 --from -10m -o "$tmp/file"
[ -s "$tmp/out" ] && bad 'output beside the file'
[ "$(grep -c 'slash/name' "$tmp/file")" -gt 20 ] || bad 'too few samples'
run 1 export -o "$tmp/file"
err_has 'is there already; --force replaces it$'
run 0 export --force --json --from -10m -o "$tmp/file"
grep -q '^{"target":"lab",' "$tmp/file" || bad 'no ndjson'
run 1 export --force -o "$tmp"
err_has 'Is a directory$'
run 0 export --force -o /dev/null
[ -c /dev/null ] || bad 'a device became a file'
run 1 export --force -o /dev/full
err_has 'No space left on device$'
ln -s file "$tmp/link"
run 0 export --force --from -10m -o "$tmp/link"
[ -L "$tmp/link" ] || bad 'a link became a file'
grep -q '^time_utc,' "$tmp/file" || bad 'the link was not followed'
run 0 export --format openmetrics --from -10m
out_has '^# EOF$'
run 2 export --format xml
run 1 export nobody
run 1 export lab:nobody -o "$tmp/other"
err_has '^dslat: there is no datastore with the id "lab:nobody"'
run 1 export -o "$tmp/no/folder"
what='dslat export, interrupted'
kill -STOP "$daemon"
"$top_builddir/dslat" --url "unix:$tmp/http.sock" export -o "$tmp/other" &
pid=$!
i=0
until [ -n "$(find "$tmp" -name '*part*')" ] || [ "$i" -ge 100 ]; do
	sleep 0.05
	i=$((i + 1))
done
kill "$pid"
wait "$pid" && bad 'it did not end'
kill -CONT "$daemon"
[ "$i" -lt 100 ] || bad 'no part of a file'
[ -z "$(find "$tmp" -name '*part*' -o -name '*other*')" ] ||
    bad 'left a part of a file'

run 0 compare nfs iscsi --from -10m
out_has '^OP .* NFS  *iSCSI  DIFFERENCE  RATIO$'
out_has '^write  median ms, compared '
run 0 compare 'slash/name' 'target:lab,host:esx01.lab.example' --json
out_has '"name":"slash/name"'
run 1 compare nfs nobody
run 2 compare nfs family:nobody
run 2 datastores --state odd
run 1 datastores --target nobody
err_has '^dslat: there is no target "nobody"; "dslat status" lists all$'
run 2 peaks --limit 5000
err_has '^dslat: --limit must be from 1 to 1000$'
run 2 peaks --from now --to now-1h
err_has '^dslat: --from must be before --to$'
exit $failed
