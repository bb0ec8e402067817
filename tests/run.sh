#!/bin/bash
# run.sh [--no-install] [--only RING[,RING]...] - every test of dslat.
#
# Installs what the tests need (Debian 12; says what), then runs the rings of
# the table below, each in a build folder of its own under build/tests.  Each
# ring prints one "PASS: name" or "FAIL: name" line per case; the last line of
# all is "N passed, N failed", and the exit code is 0 only if nothing failed.
# A case that was skipped counts as failed, as does a ring without any case.
#
# DSLAT_RECORDED names a folder with recorded answers of real vCenters; only the
# test that reads them may be skipped, where there are none.
set -euo pipefail
export LC_ALL=C

# name, seconds it may take, lane, what it is.  "first" is what all others wait
# for; rings of "beside" mostly wait themselves, beside those that compute.
rings='
check	1200	first	gcc -Werror: unit tests, fuzz corpus, checks of the tree
lint	1200	busy	clang-format, clang-tidy, cppcheck, shellcheck
clang	1200	busy	clang -Werror, built without the web page
asan	1200	busy	address and undefined behaviour sanitizers
tsan	1200	busy	thread sanitizer
fuzz	1200	busy	libFuzzer, a few seconds per decoder
dist	1200	busy	make distcheck, from a tarball, without npm
sim	1200	beside	the simulated vSphere, and pyvmomi as its client
store	300	beside	the history: killed, and on disks that fail (root)
e2e	1200	beside	the page in Chromium, live from simulated vCenters
quick	1200	beside	packaging/quickstart.sh on a terminal
govmomi	300	beside	dslatd against the simulator of govmomi
notify	1200	beside	incidents told to Alertmanager, by mail, syslog, webhook
'

src=$(cd "$(dirname "$0")/.." && pwd)
work=$src/build/tests
jobs=$(nproc)

usage() {
	sed -n '2,3s/^# //p' "$0"
	echo 'rings:'
	echo "$rings" | sed '/^$/d; s/^/  /'
}

# build NAME CONFIGURE-ARGUMENT...: a build folder, configured and built.
build() {
	dir=$work/$1
	shift
	if [ ! -x "$src/configure" ] ||
	    [ "$src/configure.ac" -nt "$src/configure" ]; then
		"$src/autogen.sh"
	fi
	mkdir -p "$dir"
	cd "$dir"
	# what was fetched once serves all folders
	for other in "$work"/*/web/vendor; do
		[ ! -d web/vendor ] || break
		[ -d "$other" ] || continue
		mkdir -p web
		cp -a "$other" web/
	done
	# once: somebody may be running make in it
	[ Makefile -nt "$src/configure" ] ||
	    "$src/configure" -q --enable-werror "$@"
	make -s -j "$jobs"
}

# make check; its results come from the .trs files, one per test.
make_check() {
	local rc=0 trs result
	find . -name '*.trs' -delete
	make -s -j "$jobs" check >check.log 2>&1 || rc=$?
	while read -r trs; do
		result=$(sed -n 's/^:test-result: \([A-Z]*\).*/\1/p' "$trs")
		echo "$result: ${trs%.trs}"
	done < <(find tests -name '*.trs' | sort)
	[ "$rc" -eq 0 ] || sed 's/^/  /' check.log test-suite.log
	return "$rc"
}

ring_check() {
	build check
	make_check
}

ring_lint() {
	build check
	make -s lint
}

ring_clang() {
	build clang --without-web-assets CC=clang CFLAGS='-O1 -g'
	make_check
}

ring_asan() {
	build asan --enable-sanitizers CFLAGS='-O1 -g'
	export ASAN_OPTIONS=detect_stack_use_after_return=1:abort_on_error=1
	make_check
}

ring_tsan() {
	build tsan --enable-sanitizers=thread CFLAGS='-O1 -g'
	export TSAN_OPTIONS=halt_on_error=1
	make_check
}

ring_fuzz() {
	build fuzz --enable-fuzzers --enable-sanitizers CC=clang
	make -s -j "$jobs" fuzzers
	find tests/fuzz -name 'fuzz_*' -type f -perm -u+x | sort |
	    xargs -P "$jobs" -n 1 "$src/tests/fuzz/short.sh"
}

ring_sim() {
	build check
	python3 -B "$src/tests/sim/check_faults.py" tests/sim/dslat-sim
	python3 -B "$src/tests/sim/check_sim.py" tests/sim/dslat-sim
	"$src/tests/pyvmomi/run.sh" tests/sim/dslat-sim
}

ring_store() {
	build check
	make -s tests/store/driver
	python3 -B "$src/tests/store/test_disk.py" tests/store/driver
	python3 -B "$src/tests/store/test_kill.py" tests/store/driver
	python3 -B "$src/tests/store/test_daemon.py" ./dslatd tests/sim/dslat-sim \
	    "$src/tests/sim/scenes/demo.scene"
}

ring_e2e() {
	build check
	"$src/tests/e2e/run.sh" ./dslatd tests/sim/dslat-sim "$work/e2e"
}

ring_quick() {
	build check
	/usr/bin/python3 "$src/tests/quickstart.py" .
}

ring_dist() {
	build check
	rm -f dslat-*.tar.xz
	make -s dist
	"$src/tests/check_dist.sh" dslat-*.tar.xz
	echo 'PASS: dist/complete'
	make -s -j "$jobs" distcheck \
	    DISTCHECK_CONFIGURE_FLAGS='--enable-werror NPM=false' >dist.log 2>&1 ||
	    { sed 's/^/  /' dist.log; echo 'FAIL: dist/distcheck'; return 1; }
	echo 'PASS: dist/distcheck'
}

ring_govmomi() {
	build check
	"$src/tests/govmomi/run.sh" ./dslatd "$work/govmomi"
}

ring_notify() {
	build check
	local slow rc=0
	make -s tests/notify/teller tests/sim/dslat-sim
	rm -rf "$work/told"
	mkdir -p "$work/told/dslatd" "$work/told/teller"
	# in real time: the other runs meanwhile
	/usr/bin/python3 -B "$src/tests/notify/check_dslatd.py" . \
	    "$work/told/dslatd" >"$work/told/log" 2>&1 &
	slow=$!
	/usr/bin/python3 -B "$src/tests/notify/check_notify.py" \
	    tests/notify/teller "$work/told/teller" || rc=$?
	wait "$slow" || rc=$?
	cat "$work/told/log"
	return "$rc"
}

# The rest runs the rings and counts.

# What went wrong, each once: after a failure `make check` prints its log too,
# where the names are headings without the ".sh".
bad_cases() { # LOG
	grep -E "$bad" "$1" | sed 's/\.sh$//' | sort -u
}

run_ring() { # NAME LIMIT-S WHAT
	local log=$work/$1.log rc=0 p f took
	local bad='^(FAIL|ERROR|XPASS|SKIP): '
	echo "== $1: $3"
	{
		time timeout -k 10 "$2" bash "$0" --ring "$1" </dev/null \
		    >"$log" 2>&1 || rc=$?
	} 2>"$work/$1.took"
	took=$(tail -n 1 "$work/$1.took")
	p=$(grep -c '^PASS: ' "$log" || :)
	f=$(bad_cases "$log" | grep -c . || :)
	if [ -z "${DSLAT_RECORDED-}" ] &&
	    grep -q '^SKIP: tests/recorded' "$log"; then
		echo "(no recordings: tests/recorded was skipped)"
		f=$((f - 1))
	fi
	if [ "$f" -eq 0 ] && [ "$rc" -ne 0 ]; then
		echo "FAIL: $1 (exit code $rc)" >>"$log"
		f=1
	elif [ $((p + f)) -eq 0 ]; then
		echo "FAIL: $1 (no cases)" >>"$log"
		f=1
	fi
	if [ "$f" -ne 0 ]; then
		grep -vE "$bad" "$log" | tail -n 200
		bad_cases "$log"
	fi
	echo "== $1: $p passed, $f failed, $took"
	echo "$p $f" >"$work/$1.count"
}

# each_ring LANE COMMAND...: COMMAND NAME LIMIT-S WHAT for every ring that is
# wanted, of one lane or (LANE is "all") of all.
each_ring() {
	local of=$1 name limit_s lane what
	shift
	while IFS=$'\t' read -r name limit_s lane what <&3; do
		[ -n "$name" ] || continue
		[ -z "$only" ] || [[ ",$only," == *",$name,"* ]] || continue
		[ "$of" = all ] || [ "$of" = "$lane" ] || continue
		"$@" "$name" "$limit_s" "$what"
	done 3<<<"$rings"
}

forget() { rm -f "$work/$1.count"; }

add_up() { # a ring without a count did not come to its end
	local p=0 f=1
	[ ! -s "$work/$1.count" ] || read -r p f <"$work/$1.count"
	passed=$((passed + p))
	failed=$((failed + f))
}

install=yes
only=
while [ $# -ne 0 ]; do
	case $1 in
	--no-install) install=no ;;
	--only)
		[ $# -gt 1 ] || { usage >&2; exit 2; }
		only=$2
		shift
		;;
	--ring) # used below
		"ring_$2"
		exit
		;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
	shift
done
for name in ${only//,/ }; do
	echo "$rings" | grep -q "^$name	" || {
		echo "run.sh: no ring is called $name" >&2
		usage >&2
		exit 2
	}
done

[ $install = no ] || "$src/packaging/install-deps.sh" test
mkdir -p "$work"
passed=0
failed=0
TIMEFORMAT='%0R s (processors: %0U + %0S s)'
each_ring all forget
each_ring first run_ring
each_ring beside run_ring &
beside=$!
trap 'kill "$beside" 2>/dev/null || :' EXIT
each_ring busy run_ring
wait "$beside" || :
each_ring all add_up
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
