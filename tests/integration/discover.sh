#!/bin/sh
# discover.sh - dslat discover against the simulated vSphere: what it writes is
# complete, and says nothing about whose it is.
set -eu
export LC_ALL=C

: "${top_srcdir:=.}" "${top_builddir:=.}"
tmp=$(mktemp -d)
sim=
cleanup() {
	[ -z "$sim" ] || kill "$sim" 2>/dev/null || :
	rm -rf "$tmp"
}
trap cleanup EXIT
failed=0
unset DSLAT_PASSWORD DSLAT_URL

bad() {
	echo "$what: $1"
	sed 's/^/	err: /' "$tmp/err"
	failed=1
}

# run WANTED-EXIT-CODE ARGUMENT...: dslat discover, its output in $tmp/out, err
run() {
	want=$1
	shift
	what="dslat discover $*"
	rc=0
	setsid timeout 60 "$top_builddir/dslat" discover "$@" >"$tmp/out" \
	    2>"$tmp/err" </dev/null || rc=$?
	[ "$rc" -eq "$want" ] || bad "exit code $rc, not $want"
}

has() { # FILE PATTERN
	grep -q -- "$2" "$tmp/$1" || bad "$1 lacks $2"
}

has_not() { # FILE TEXT
	if grep -qF -- "$2" "$tmp/$1"; then
		bad "$1 has $2"
	fi
}

start_sim() { # SCENE OPTION...
	scene=$top_srcdir/tests/sim/scenes/$1.scene
	shift
	[ -z "$sim" ] || kill "$sim"
	: >"$tmp/sim" # the line of the one before
	"$top_builddir/tests/sim/dslat-sim" "$@" "$scene" >>"$tmp/sim" 2>&1 \
	    </dev/null &
	sim=$!
	i=0
	until url=$(sed -n 's/.*listening on //p' "$tmp/sim") && [ -n "$url" ]
	do
		i=$((i + 1))
		if [ $i -gt 100 ]; then
			cat "$tmp/sim"
			exit 1
		fi
		sleep 0.1
	done
}

# The words of a scene that are somebody's: names, addresses, paths.  Words of
# one or two characters, and those that every vSphere has, prove nothing.
private_words() { # SCENE
	grep -E '^(login|datacenter|cluster|pod|host|datastore) ' \
	    "$top_srcdir/tests/sim/scenes/$1.scene" |
	    grep -v ' hidden=true' |
	    grep -oE '[[:alnum:]]*[A-Za-z][[:alnum:]]{2,}|[0-9]+(\.[0-9]+){3}' |
	    grep -vixE 'login|datacenter|cluster|pod|host|hosts|datastore|name|local|iscsi|nfs|nfs3|nfs41|nvme|pcie|vol|path|uuid|server|folder|moref|export|vmfs|volumes|fc|data|disk|lun|true|false|localdir|esx|url|slash|read|write|iops|key|page|first|protocol|new|tab|here|long|one|vCenter|all|and|more|more|back|list|let|less|than|with|space|other|object|type|tag|script|alert|media|lab|leading|amp|nas|percent|root|aaaaaaaa|pass' |
	    sort -u
}

check_private() { # SCENE
	private_words "$1" >"$tmp/words"
	[ -s "$tmp/words" ] || bad "no words to look for"
	while read -r word; do
		if grep -qwF -- "$word" "$tmp/out"; then
			bad "the output has \"$word\""
		fi
	done <"$tmp/words"
}

# ---- wrong usage ----
run 2
has err 'discover which target?'
run 2 --url https://vc.example/sdk
has err 'discover as which user?'
run 2 --url https://vc.example/sdk --user u # setsid: no terminal
has err 'give --password-file'
run 2 --json --url x
has err 'discover has no option --json'
echo x >"$tmp/pw"
run 1 --url vc.example --user u --password-file "$tmp/pw"
has err 'must begin with https://'

# ---- a vCenter with names that break programs ----
start_sim names
printf '%s\n' "a b&c<d>e\"f'g" >"$tmp/pw"
chmod 600 "$tmp/pw"
run 0 --url "$url" --user 'user name@vsphere.local' --password-file "$tmp/pw"
for answer in vimServiceVersions.xml RetrieveServiceContent Login \
    CreateContainerView RetrievePropertiesEx QueryPerf Logout; do
	has out "^== $answer: HTTP 200, "
done
has out '^3 hosts, 21 datastores, 0 properties denied$'
has out '^[1-9][0-9]* series, [1-9][0-9]* values, 0 missing$'
has out '<name>summary.url</name><val[^>]*>ds:///vmfs/volumes/'
has out '<key>datastore</key>'
has out '<fullName>VMware vCenter Server 8.0.3 build-'
has_not out '<key>cpu</key>'
has_not out 'a b&'
has_not out 'user name'
check_private names
# the login's own answer holds the session's key
sed -n '/^== Login/,/^== Retr/p' "$tmp/out" >"$tmp/login"
has login '^(not shown)$'
has_not login '<'

# ---- a file, from the variable ----
DSLAT_PASSWORD=$(cat "$tmp/pw")
export DSLAT_PASSWORD
run 0 --url "$url" --user 'user name@vsphere.local' -o "$tmp/dump"
[ ! -s "$tmp/out" ] || bad 'it writes to both'
has err 'dump is written; please look through it'
has dump '^3 hosts, 21 datastores'
[ "$(stat -c %a "$tmp/dump")" = 600 ] || bad 'others can read the file'
run 1 --url "$url" --user 'user name@vsphere.local' -o "$tmp/no/such/folder"
has err 'cannot write'

# ---- a refused login: what came before is there, and the reason ----
DSLAT_PASSWORD=wrong
run 1 --url "$url" --user 'user name@vsphere.local'
has err 'wrong user name or password'
has out '^== Login: HTTP 500'
has out '<InvalidLoginFault'

# ---- LUNs too; and without them where the server refuses them ----
start_sim demo
DSLAT_PASSWORD=demo
run 0 --url "$url" --user monitor@vsphere.local
has out '<key>deviceReadLatency</key>'
has out '<counterId>500</counterId><instance>naa\.'
has_not out "$(curl -s --noproxy '*' "${url%/sdk}/sim/oracle?luns=true&from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:20Z" |
    sed -n '2s/^[^,]*,naa\.\([^,]*\),.*/\1/p')"
curl -s --noproxy '*' -X POST "${url%/sdk}/sim/fault?name=perf-disk"
run 0 --url "$url" --user monitor@vsphere.local
has_not out '<counterId>500</counterId><instance>'
has out '^[1-9][0-9]* series, [1-9][0-9]* values'

# ---- ESXi, with references that are paths; and its certificate ----
start_sim esxi --tls
DSLAT_PASSWORD='pass word & <more> "quotes"'
run 1 --url "$url" --user root
has err 'it is self-signed'
hex=$(sed -n 's/.*fingerprint_sha256: "\([0-9a-f]*\)".*/\1/p' "$tmp/err")
run 0 --url "$url" --user root --fingerprint "$hex"
has out '^1 hosts, 7 datastores'
has out '>ha-host<'
check_private esxi
run 0 --url "$url" --user root --insecure
unset DSLAT_PASSWORD
exit $failed
