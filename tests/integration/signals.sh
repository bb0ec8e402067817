#!/bin/sh
# signals.sh - SIGTERM while a target does not answer: dslatd waits for the
# logout, and no longer when it is told a second time.
set -eu
export LC_ALL=C

: "${top_srcdir:=.}" "${top_builddir:=.}"
tmp=$(mktemp -d)
sim=
daemon=
cleanup() {
	for pid in $daemon $sim; do
		kill -KILL "$pid" 2>/dev/null || :
	done
	rm -rf "$tmp"
}
trap cleanup EXIT

fail() {
	echo "$1"
	cat "$tmp/log"
	exit 1
}

wait_for() { # FILE PATTERN: there within 10 s
	for _ in $(seq 100); do
		if grep -q -- "$2" "$tmp/$1"; then
			return
		fi
		sleep 0.1
	done
	fail "$1 lacks $2"
}

now_ms() { date +%s%3N; }

: >"$tmp/log"
"$top_builddir/tests/sim/dslat-sim" \
    "$top_srcdir/tests/sim/scenes/demo.scene" >"$tmp/sim" 2>&1 </dev/null &
sim=$!
wait_for sim 'listening on '
url=$(sed -n 's/.*listening on //p' "$tmp/sim")
echo demo >"$tmp/pw"
cat >"$tmp/f.yaml" <<END
listen: unix:$tmp/socket
state_dir: $tmp/state
targets:
  - { name: lab, url: "$url", username: monitor@vsphere.local,
      password_file: $tmp/pw }
END

# stop SIGNAL: to a dslatd that has waited half a second for a logout
stop() {
	curl -fsS --noproxy '*' -X POST "${url%/sdk}/sim/fault/clear"
	: >"$tmp/log"
	"$top_builddir/dslatd" -c "$tmp/f.yaml" >"$tmp/log" 2>&1 </dev/null &
	daemon=$!
	wait_for log 'target=lab VirtualCenter'
	curl -fsS --noproxy '*' -X POST \
	    "${url%/sdk}/sim/fault?name=blackhole&method=Logout"
	start=$(now_ms)
	kill -TERM "$daemon"
	wait_for log stopping
	sleep 0.5
	kill "-$1" "$daemon"
	rc=0
	wait "$daemon" || rc=$?
	daemon=
	took=$(($(now_ms) - start))
	[ "$rc" -eq 0 ] || fail "exit code $rc"
}

for signal in INT TERM; do
	stop $signal
	grep -q 'not waiting any longer' "$tmp/log" || fail 'no word about it'
	[ "$took" -lt 1500 ] || fail "a second signal, and it took $took ms"
done
