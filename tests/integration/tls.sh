#!/bin/sh
# tls.sh - dslatd with a certificate and tokens: what -t says, what a reload
# does, and dslat through it.
set -eu
export LC_ALL=C.UTF-8

: "${top_srcdir:=.}" "${top_builddir:=.}"
tmp=$(mktemp -d)
pid=
cleanup() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || :
	rm -rf "$tmp"
}
trap cleanup EXIT
unset DSLAT_URL DSLAT_CA_FILE DSLAT_TOKEN_FILE
failed=0

bad() {
	echo "$1"
	failed=1
}

has() { # FILE PATTERN
	grep -q -- "$2" "$1" || {
		bad "$1: no \"$2\" in:"
		cat "$1"
	}
}

# wait_for PATTERN FILE: at most 10 s
wait_for() {
	i=0
	until grep -q -- "$1" "$2"; do
		i=$((i + 1))
		if [ $i -gt 200 ]; then
			echo "$2: no $1"
			cat "$2"
			exit 1
		fi
		sleep 0.05
	done
}

make_cert() { # NAME
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	    -days 30 -subj "/CN=$1" -addext subjectAltName=IP:127.0.0.1 \
	    -keyout "$tmp/$1.key" -out "$tmp/$1.pem" 2>/dev/null
	chmod 600 "$tmp/$1.key"
}

# use CERT KEY: what the configuration names
use() {
	ln -sf "$tmp/$1.pem" "$tmp/server.pem"
	ln -sf "$tmp/$2.key" "$tmp/server.key"
}

make_cert one
make_cert two
echo x >"$tmp/password"
chmod 600 "$tmp/password"
cat >"$tmp/dslatd.yaml" <<END
listen: 127.0.0.1:0
state_dir: $tmp/state
targets:
  - { name: a, url: "http://127.0.0.1:1", username: u,
      password_file: $tmp/password }
web:
  tls_cert: $tmp/server.pem
  tls_key: $tmp/server.key
  tokens_file: $tmp/tokens
  allow_anonymous_read: false
END

# ---- dslatd -t ----
use one two
rc=0
"$top_builddir/dslatd" -t -c "$tmp/dslatd.yaml" >"$tmp/out" 2>&1 || rc=$?
[ $rc -eq 3 ] || bad "-t with another's key: $rc, not 3"
has "$tmp/out" 'dslatd.yaml:7:13: web.tls_key: the key in .* is not that of'
use one one
rc=0
"$top_builddir/dslatd" -t -c "$tmp/dslatd.yaml" >"$tmp/out" 2>&1 || rc=$?
[ $rc -eq 0 ] || bad "-t: $rc, not 0: $(cat "$tmp/out")"
has "$tmp/out" 'the tokens file .* does not exist; make it with'

# ---- running ----
"$top_builddir/dslat" token new ops --role write --file "$tmp/tokens" \
    >"$tmp/token"
"$top_builddir/dslatd" -c "$tmp/dslatd.yaml" >"$tmp/log" 2>&1 </dev/null &
pid=$!
wait_for 'listening on https://127' "$tmp/log"
url=$(sed -n 's/.*listening on \(https.*\)/\1/p' "$tmp/log")

# run CA ARGUMENT...: dslat's exit code
run() {
	ca=$1
	shift
	rc=0
	"$top_builddir/dslat" -u "$url" --ca-file "$tmp/$ca.pem" "$@" \
	    >"$tmp/out" 2>&1 || rc=$?
	echo $rc
}

[ "$(run one status)" -eq 1 ] || bad 'read without a token'
has "$tmp/out" 'dslat token new'
[ "$(run one status --token-file "$tmp/token")" -eq 0 ] ||
    bad 'not read with a token'
[ "$(run two status --token-file "$tmp/token")" -eq 1 ] ||
    bad 'read over a certificate that is not trusted'
[ "$(run one note hello --token-file "$tmp/token")" -eq 0 ] ||
    bad 'no note'
wait_for 'web: ops from 127.0.0.1: noted (.*): hello' "$tmp/log"

# ---- reload: a pair that does not fit, then one that does ----
use one two
kill -HUP "$pid"
wait_for 'the old certificate stays in force' "$tmp/log"
[ "$(run one status --token-file "$tmp/token")" -eq 0 ] ||
    bad 'the old certificate is gone'
use two two
kill -HUP "$pid"
wait_for 'server.pem is in use' "$tmp/log"
[ "$(run two status --token-file "$tmp/token")" -eq 0 ] ||
    bad 'the new certificate is not there'
[ "$(run one status --token-file "$tmp/token")" -eq 1 ] ||
    bad 'the old certificate is still there'

kill "$pid"
rc=0
wait "$pid" || rc=$?
pid=
[ $rc -eq 0 ] || bad "dslatd ended with $rc"
if grep -q "$(cat "$tmp/token")" "$tmp/log"; then
	bad 'the token is in the log'
fi
exit $failed
