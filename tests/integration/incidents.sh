#!/bin/sh
# incidents.sh - what a running dslatd told survives kill -9, and is not told
# again; its time line, too.
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
unset DSLAT_URL

die() {
	echo "$1"
	cat "$tmp"/*.log
	exit 1
}

api() { # PATH
	curl -sf --unix-socket "$tmp/http.sock" "http://localhost/api/v1/$1"
}

# wait_for TEXT COMMAND...: until its output has the text, at most 20 s
wait_for() {
	text=$1
	shift
	i=0
	until "$@" 2>/dev/null | grep -q -- "$text"; do
		i=$((i + 1))
		[ $i -le 200 ] || die "$*: no $text"
		sleep 0.1
	done
}

start() { # LOG
	"$top_builddir/dslatd" -c "$tmp/dslatd.yaml" >"$tmp/$1" 2>&1 \
	    </dev/null &
	dslatd=$!
	pids="$pids $dslatd"
	wait_for '"items"' api incidents
}

# field NAME: of the one incident that is active
field() {
	api 'incidents?state=active' | python3 -c 'import json, sys
items = json.load(sys.stdin)["items"]
assert len(items) == 1, items
print(items[0][sys.argv[1]])' "$1"
}

# Slow since half an hour ago, and for as long to come.
cat >"$tmp/scene" <<'END'
server vcenter seed=5
login monitor@vsphere.local secret
host esx1
host esx2
datastore nfs nfs3 read_ms=2 write_ms=2 noise=0
event latency ds=nfs host=esx2 write_ms=60 at_s=1800 every_s=3600 for_s=3500 past=true
END
"$top_builddir/tests/sim/dslat-sim" "$tmp/scene" >"$tmp/sim.log" 2>&1 \
    </dev/null &
pids="$pids $!"
wait_for 'listening on ' cat "$tmp/sim.log"
cat >"$tmp/dslatd.yaml" <<END
listen: unix:$tmp/http.sock
state_dir: $tmp/state
targets:
  - name: lab
    url: $(sed -n 's/.*listening on //p' "$tmp/sim.log")
    username: monitor@vsphere.local
    password_env: SIM_PASSWORD
END
SIM_PASSWORD=secret
export SIM_PASSWORD

start first.log
wait_for '"state":"announced"' api incidents
wait_for 'incident 1: lab/nfs write' cat "$tmp/first.log"
id=$(field id)
key=$(field key)
announced=$(field announced)
[ "$(field where)" = 'only esx2, the other host with I/O is fine: its path' ] ||
    die "where: $(field where)"

# Durable once it is in the file; the store writes without delay.
sleep 0.5
kill -9 "$dslatd"
wait "$dslatd" 2>/dev/null || :
start second.log
wait_for '"state":"ok"' api status
sleep 0.5
[ "$(field id) $(field key) $(field announced)" = "$id $key $announced" ] ||
    die "another incident: $(api incidents)"
if grep -q 'incident [0-9]*: lab/nfs write' "$tmp/second.log"; then
	die 'told again'
fi
[ "$(api 'events?kind=dslatd' | grep -o ' started"' | wc -l)" -eq 2 ] ||
    die "time line: $(api events)"

# A regular end and a third start.
kill "$dslatd"
wait "$dslatd" || die "exit code $?"
start third.log
[ "$(field id)" = "$id" ] || die "another incident: $(api incidents)"
