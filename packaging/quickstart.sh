#!/bin/bash
# quickstart.sh - build dslat from a fresh clone and watch something with it.
#
#   packaging/quickstart.sh
#       a simulated vCenter, on which an NFS and an iSCSI datastore get slow
#       within two minutes
#   packaging/quickstart.sh --url URL --user USER [--password-file FILE]
#           [--fingerprint HEX | --insecure]
#       your vCenter or ESXi host; without --password-file it asks for the
#       password on the terminal
#
# Other options: --listen ADDRESS:PORT (127.0.0.1:9969), --no-install.
# Installs with apt what is missing, says what, and builds into ./build, where
# the history of a real target stays.  Ctrl-C ends everything it started.
set -euo pipefail

src=$(cd "$(dirname "$0")/.." && pwd)
build=$src/build
run=''
pids=()

say() { printf '%s\n' "$*"; }
fail() { say "quickstart.sh: $*" >&2; exit 1; }
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; }
wrong() { say "quickstart.sh: $*" >&2; usage >&2; exit 2; }

cleanup() {
	trap '' HUP INT TERM
	local i
	# the last one first: dslatd logs out of the simulated vCenter
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null || :
		wait "${pids[i]}" 2>/dev/null || :
	done
	[ -z "$run" ] || rm -rf "$run"
}
trap cleanup EXIT
trap 'say; exit 0' HUP INT TERM

url='' user='' password_file='' fingerprint='' insecure=false install=yes
listen=127.0.0.1:9969
while [ $# -ne 0 ]; do
	case $1 in
	--url | --user | --password-file | --fingerprint | --listen)
		[ $# -gt 1 ] || wrong "$1 needs a value"
		name=${1#--}
		printf -v "${name//-/_}" %s "$2"
		shift
		;;
	--insecure) insecure=true ;;
	--no-install) install=no ;;
	-h | --help) usage; exit 0 ;;
	*) wrong "unknown option: $1" ;;
	esac
	shift
done
if [ -n "$url" ] || [ -n "$user" ]; then
	[ -n "$url" ] || wrong "--user needs --url"
	[ -n "$user" ] || wrong "--url needs --user"
	[[ $url == *://* ]] || url=https://$url
elif [ -n "$password_file$fingerprint" ] || [ $insecure = true ]; then
	wrong "these options need --url and --user"
fi
[ -z "$fingerprint" ] || [ $insecure = false ] ||
    wrong "--fingerprint or --insecure, not both"
[ -z "$password_file" ] || [ -r "$password_file" ] ||
    fail "cannot read $password_file"
[ -z "$url" ] || [ -n "$password_file" ] || [ -t 0 ] ||
    fail "no terminal to ask for the password on: give --password-file"

# start PROGRAM...: in the background, in a process group of its own, so that
# Ctrl-C on the terminal reaches this script alone, which ends them in order.
start() {
	set -m
	"$@" </dev/null &
	pids+=($!)
	set +m
}

build_it() {
	local log=$build/quickstart.log
	mkdir -p "$build"
	say "Building into $build (log: $log) ..."
	(
		cd "$src"
		[ -x configure ] || ./autogen.sh
		cd "$build"
		[ -f Makefile ] || "$src/configure" -q
		make -s -j "$(nproc)"
	) >"$log" 2>&1 </dev/null || {
		tail -n 30 "$log"
		fail "the build failed, see above and $log"
	}
}

# Text as a YAML scalar in single quotes.
yaml() {
	[[ $1 != *[[:cntrl:]]* ]] || fail "a control character in: $1"
	printf "'%s'" "${1//\'/\'\'}"
}

# The first label of the host, as far as a target may be called that.
target_name() {
	local name=${url#*://}
	name=${name%%[/:]*}
	[[ $name == *[!0-9.]* ]] && name=${name%%.*}
	name=${name//[!A-Za-z0-9_-]/-}
	[ -n "$url" ] || name=demo
	say "${name:0:63}"
}

# configuration URL USER PASSWORD-FILE
configuration() {
	say "listen: $(yaml "$listen")"
	say "state_dir: $(yaml "$state")"
	say "targets:"
	say "  - name: $(target_name)"
	say "    url: $(yaml "$1")"
	say "    username: $(yaml "$2")"
	say "    password_file: $(yaml "$3")"
	say "    tls:"
	[ -z "$fingerprint" ] ||
	    say "      fingerprint_sha256: $(yaml "$fingerprint")"
	say "      insecure: $insecure"
}

# wait_line FILE PID PATTERN: the first line that matches, from a program that
# is starting.
wait_line() {
	local i
	for ((i = 0; i < 100; i++)); do
		grep -m 1 -E "$3" "$1" && return
		kill -0 "$2" 2>/dev/null || break
		sleep 0.1
	done
	cat "$1" >&2
	return 1
}

start_simulation() {
	local out=$run/sim.out line
	start "$build/tests/sim/dslat-sim" "$src/tests/sim/scenes/demo.scene" \
	    >"$out" 2>&1
	line=$(wait_line "$out" "${pids[0]}" 'listening on ') ||
	    fail "the simulated vCenter did not start"
	sim_url=${line##* }
}

somebody_listens() {
	local host=${listen%:*} port=${listen##*:}
	host=${host#[} host=${host%]}
	[ "$host" != '*' ] || host=127.0.0.1
	(: >"/dev/tcp/$host/$port") 2>/dev/null
}

# The address people open: a wildcard means this machine.
page() {
	local host=${listen%:*} port=${listen##*:}
	case $host in
	0.0.0.0 | '*') host=$(hostname 2>/dev/null || echo 127.0.0.1) ;;
	'[::]') host=$(hostname 2>/dev/null || echo '[::1]') ;;
	esac
	say "http://$host:$port/"
}

! somebody_listens ||
    fail "something listens at $listen already: --listen takes another"
[ $install = no ] || "$src/packaging/install-deps.sh" build
build_it
umask 077
run=$(mktemp -d)
state=$run/state # of a simulation; of something real it stays
if [ -z "$url" ]; then
	start_simulation
	say demo >"$run/password"
	configuration "$sim_url" monitor@vsphere.local "$run/password" \
	    >"$run/dslatd.yaml"
	say "Simulated vCenter at $sim_url."
else
	state=$build/state/$(target_name)
	mkdir -p "$state"
	if [ -n "$password_file" ]; then
		password_file=$(realpath "$password_file")
	else
		password_file=$run/password
		read -rs -p "Password of $user at $url: " password
		say
		printf '%s\n' "$password" >"$password_file"
		unset password
	fi
	configuration "$url" "$user" "$password_file" >"$run/dslatd.yaml"
fi
"$build/dslatd" -t -c "$run/dslatd.yaml" ||
    fail "the configuration is not right, see above"
start "$build/dslatd" -f -c "$run/dslatd.yaml"
dslatd=${pids[-1]}
for ((i = 0; i < 50; i++)); do
	kill -0 "$dslatd" 2>/dev/null || fail "dslatd ended, see above"
	somebody_listens && break
	sleep 0.1
done
say
say "Open $(page) - samples come every 20 s."
[ -n "$url" ] ||
    say "nfs-vdi-01 gets slow within a minute, iscsi-mail on one host soon after."
[[ $url != https:* ]] || [ -n "$fingerprint" ] || [ $insecure = true ] ||
    say "If its certificate is refused: --fingerprint HEX, or --insecure."
[ -z "$url" ] || say "The history stays in $state."
say "Ctrl-C ends it."
wait -n "${pids[@]}" || fail "a program ended, see above"
fail "a program ended by itself"
