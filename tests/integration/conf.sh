#!/bin/sh
# conf.sh - dslatd and its configuration: -t, --dump-config, a start and a
# reload, with good and bad files; exit codes 0, 2 and 3, what goes to which
# stream, and that no password comes out.
set -eu
export LC_ALL=C

: "${top_srcdir:=.}" "${top_builddir:=.}"
tmp=$(mktemp -d)
daemon=
cleanup() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || :
	rm -rf "$tmp"
}
trap cleanup EXIT
failed=0
unset CREDENTIALS_DIRECTORY

# A copy that another user may run, see below.
chmod 711 "$tmp"
cp "$top_builddir/dslatd" "$tmp/dslatd"

# run WANTED-EXIT-CODE ARGUMENT...: dslatd with its output in $tmp/out, err
run() {
	want=$1
	shift
	what="dslatd $*"
	rc=0
	timeout 20 "$tmp/dslatd" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null ||
	    rc=$?
	[ "$rc" -eq "$want" ] || bad "exit code $rc, not $want"
	if grep -q hunter2 "$tmp/out" "$tmp/err"; then
		bad 'a password comes out'
	fi
}

bad() {
	echo "$what: $1"
	sed 's/^/	out: /' "$tmp/out"
	sed 's/^/	err: /' "$tmp/err"
	failed=1
}

# stream_is STREAM LINE...: it has these lines and no others
stream_is() {
	file=$tmp/$1
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" >"$tmp/want"
	[ $# -ne 0 ] || : >"$tmp/want"
	diff "$tmp/want" "$file" >"$tmp/diff" ||
	    bad "not what is wanted: $(cat "$tmp/diff")"
}

stream_has() { # STREAM PATTERN
	grep -q -- "$2" "$tmp/$1" || bad "$1 lacks $2"
}

target() { # NAME MORE-KEYS
	cat <<-END
	  - name: $1
	    url: https://127.0.0.1:1
	    username: u
	    password_file: $tmp/pw
	    ${2-}
	END
}

printf 'hunter2\n' >"$tmp/pw"
chmod 600 "$tmp/pw"
f=$tmp/f.yaml

# ---- wrong usage, and what needs no configuration ----
run 2 --no-such-option
stream_is out
stream_has err '^usage: dslatd'
run 2 -c
stream_is out
run 2 -t "$f"
stream_has err 'unexpected argument'
run 0 --help
stream_is err
stream_has out '^usage: dslatd'
run 0 --version
stream_is err

# ---- good files ----
{ echo 'targets:'; target lab; target dr; } >"$f"
run 0 -t -c "$f"
stream_is err
stream_is out "$f: ok, 2 targets"
run 0 --dump-config -c "$f"
stream_is err
stream_has out '^listen: \[127.0.0.1:9969\]  *# default$'
stream_has out '^  - name: dr  *# f.yaml:7$'
stream_has out "^    password_file: $tmp/pw  *# f.yaml:5\$"
# the dump is a configuration, with the same values
cp "$tmp/out" "$tmp/again.yaml"
run 0 --dump-config -c "$tmp/again.yaml"
sed '/^#/d; s/ *# .*//' "$tmp/again.yaml" >"$tmp/values"
sed '/^#/d; s/ *# .*//' "$tmp/out" | cmp "$tmp/values" - ||
    bad 'the dump of a dump differs'

# ---- a warning is no fault ----
chmod 644 "$tmp/pw"
run 0 -t -c "$f"
stream_is err \
    "$f:5:20: warning: everybody on this machine can read $tmp/pw; chmod o= it" \
    "$f:10:20: warning: everybody on this machine can read $tmp/pw; chmod o= it"
chmod 600 "$tmp/pw"

# ---- bad files: all faults in one run, and exit code 3, however it is read ----
{
	echo 'listen: 9969'
	echo 'targets:'
	target lab 'password: hunter2'
	target lab 'include: { hosts: [*.example] }'
	echo 'exporters: []'
	echo 'lisen: x'
} >"$f"
for mode in -t --dump-config -f; do
	run 3 $mode -c "$f"
	stream_is out
	stream_is err \
	    "$f:1:9: \"9969\" has no port; write address:port, as in 127.0.0.1:9969" \
	    "$f:7:5: \"password\" does not belong in this file; write it to a file of its own and name that with password_file" \
	    "$f:8:11: a second target named \"lab\", the first is in line 3; rename one" \
	    "$f:12:24: an unquoted \"*\" starts an alias in YAML; quote the pattern: \"*.example\"" \
	    "$f:13:1: \"exporters\" is not available in this version ($("$tmp/dslatd" --version | sed 's/.* //')); remove it" \
	    "$f:14:1: \"lisen\" is not known; did you mean \"listen\"?"
done

# ---- files that are none ----
run 3 -t -c "$tmp/none.yaml"
stream_is err \
    "there is no configuration $tmp/none.yaml; write one, see dslatd.yaml(5), or name another with -c"
run 3 -t -c "$tmp"
stream_is err "$tmp is a folder; name a file in it"
: >"$f"
run 3 -t -c "$f"
stream_is err "$f: the file is empty; add \"targets\", see dslatd.yaml(5)"
dd if=/dev/zero of="$f" bs=1024 count=10240 2>/dev/null
run 3 -t -c "$f"
stream_is err "$f is larger than 1024 KiB; name another file"
cp "$tmp/dslatd" "$f"
run 3 -t -c "$f"
head -c 500 "$tmp/dslatd" >"$f"
run 3 -t -c "$f"
stream_has err 'is not UTF-8 text; name the YAML file itself'
{ echo 'targets:'; target lab; } >"$f"
rm "$tmp/pw"
run 3 -t -c "$f"
stream_is err "$f:5:20: $tmp/pw does not exist; create it"

# ---- a file that this user may not read ----
printf 'hunter2\n' >"$tmp/pw"
chmod 000 "$tmp/pw"
chmod 644 "$f"
what='dslatd as another user'
rc=0
if [ "$(id -u)" -eq 0 ]; then
	user=nobody
	setpriv --reuid=nobody --regid=nogroup --clear-groups \
	    "$tmp/dslatd" -t -c "$f" >"$tmp/out" 2>"$tmp/err" || rc=$?
else
	user=$(id -un)
	"$tmp/dslatd" -t -c "$f" >"$tmp/out" 2>"$tmp/err" || rc=$?
fi
[ "$rc" -eq 3 ] || bad "exit code $rc, not 3"
stream_is err "$f:5:20: user $user may not read $tmp/pw; chown it to root:$user and chmod it 640, or use password_credential for a password"
chmod 600 "$tmp/pw"

# ---- a reload ----
wait_for() { # PATTERN: in the daemon's log, within 10 s
	for _ in $(seq 100); do
		if grep -q -- "$1" "$tmp/log"; then
			return
		fi
		sleep 0.1
	done
	bad "the log lacks $1: $(cat "$tmp/log")"
}

what='a running dslatd'
: >"$tmp/out"
: >"$tmp/err"
{ echo "listen: unix:$tmp/socket"; echo "state_dir: $tmp/state"; echo 'targets:'; target lab; } >"$f"
"$tmp/dslatd" -c "$f" >"$tmp/log" 2>&1 &
daemon=$!
wait_for "listening on unix:$tmp/socket"
echo 'nonsense: 1' >>"$f"
kill -HUP "$daemon"
wait_for "^<3>main: $f:9:1: \"nonsense\" is not known"
wait_for 'the old configuration stays in force'
{ echo "listen: unix:$tmp/other"; echo "state_dir: $tmp/else"; echo 'targets:'; target dr; } >"$f"
kill -HUP "$daemon"
wait_for '`listen` takes effect after a restart'
wait_for '`state_dir` takes effect after a restart'
wait_for "reload: $f is in force"
kill -TERM "$daemon"
rc=0
wait "$daemon" || rc=$?
daemon=
[ "$rc" -eq 0 ] || bad "exit code $rc after TERM: $(cat "$tmp/log")"
if grep -q hunter2 "$tmp/log"; then
	bad 'a password is in the log'
fi
exit $failed
