#!/bin/sh
# run.sh [SIM] - pyvmomi, a client nobody here wrote, against dslat-sim.
#
# One PASS: or FAIL: line per case; exit code 0 only if nothing failed.  Needs
# python3-pyvmomi and openssl.
set -eu
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "$0")" && pwd)
sim=${1:-${top_builddir:-.}/tests/sim/dslat-sim}
start=2026-05-17T12:00:01Z
work=$(mktemp -d)
pid=
stop() {
	if [ -n "$pid" ]; then
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	fi
	pid=
}
trap 'stop; rm -rf "$work"' EXIT

# url: wait for the line that says where the simulator listens
url() {
	for _ in $(seq 100); do
		if grep -q /sdk "$work/sim.out"; then
			sed 's/.* //' "$work/sim.out"
			return
		fi
		sleep 0.1
	done
	echo 'dslat-sim did not start' >&2
	exit 1
}

failed=0
# accept SCENE USER PASSWORD [OPTION]...
accept() {
	scene=$here/../sim/scenes/$1.scene
	user=$2 password=$3
	shift 3
	"$sim" --oracle --start "$start" --from 2026-05-17T09:00:00Z \
	    --to 2026-05-17T14:00:00Z "$scene" >"$work/oracle.csv"
	"$sim" --clock manual --start "$start" "$@" "$scene" \
	    >"$work/sim.out" 2>&1 &
	pid=$!
	/usr/bin/python3 "$here/accept.py" "$(url)" "$scene" "$start" \
	    "$user" "$password" "$work/oracle.csv" || failed=1
	stop
}

accept demo monitor@vsphere.local demo
accept protocols monitor@vsphere.local secret --tls
accept esxi root 'pass word & <more> "quotes"'
accept names 'user name@vsphere.local' "a b&c<d>e\"f'g" --address ::1
accept skew monitor@vsphere.local secret
accept empty monitor@vsphere.local secret
exit $failed
