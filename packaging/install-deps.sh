#!/bin/sh
# install-deps.sh build|test - install what is needed to build and run dslat,
# or also what its tests use, with apt on Debian 12 or later (root or sudo).
#
# Says first what is missing and installs only that; nothing else is changed.
set -eu

# Package, a command that makes it unnecessary or "-", what for.
build_packages='
autoconf		autoconf	makes ./configure
automake		automake	makes Makefile.in
ca-certificates		-		trust for vCenters and downloads
curl			curl		fetches uPlot, the charts of the page
gcc			gcc		the compiler
libc6-dev		-		the C library
libcurl4-openssl-dev	-		HTTPS to vCenters; the event loop
libfyaml-dev		-		the configuration file (YAML)
libgnutls28-dev		-		HTTPS of the web server
libjansson-dev		-		JSON
libmicrohttpd-dev	-		the web server
libsqlite3-dev		-		the history
libssl-dev		-		fingerprints of certificates
libxml2-dev		-		answers of vCenters (XML)
make			make		runs the build
node-registry-url	npm		where to find uPlot, the charts
openssl			openssl		checksums; a certificate for the simulation
pkg-config		pkg-config	finds the libraries
zlib1g-dev		-		compressed answers and history
'
test_packages='
chromium		chromium	the browser test
clang			clang		second compiler, fuzzing, sanitizers
clang-format		clang-format	lint
clang-tidy		clang-tidy	lint
cppcheck		cppcheck	lint
golang-github-vmware-govmomi-dev - a second simulated vCenter
golang-go		go		builds that
libclang-rt-dev		-		libFuzzer and sanitizers for clang
libcmocka-dev		-		unit tests
mandoc			mandoc		lint: manual pages
npm			npm		the browser test
procps			ps		memory and CPU in the scenes
prometheus		promtool	reads /metrics
prometheus-alertmanager	prometheus-alertmanager	is told of incidents
python3-aiosmtpd	-		a mail server, is told of incidents
python3-jsonschema	-		holds answers against openapi.json
python3-prometheus-client -		reads OpenMetrics
python3-pyvmomi		-		VMware'"'"'s client, asks our simulation
python3			-		runs that
python3-yaml		-		reads recordings of real vCenters
rsyslog			rsyslogd	is told of incidents; not started
shellcheck		shellcheck	lint
systemd			systemd-analyze	checks the service unit
xz-utils		xz		make distcheck
'

# Those of them that are services.  The tests start what they need themselves:
# none is started or enabled here.
services='prometheus prometheus-alertmanager rsyslog'

missing() { # LIST: rows not there yet
	echo "$1" | while read -r package command why; do
		[ -n "$package" ] || continue
		if [ "$command" != - ] &&
		    command -v "$command" >/dev/null 2>&1; then
			continue
		fi
		if dpkg-query -W -f '${db:Status-Status}' "$package" \
		    2>/dev/null | grep -q '^installed$'; then
			continue
		fi
		printf '%-34s %s\n' "$package" "$why"
	done
}

case ${1-} in
build) rows=$(missing "$build_packages") ;;
test) rows=$(missing "$build_packages$test_packages") ;;
*)
	echo "usage: install-deps.sh build|test" >&2
	exit 2
	;;
esac
if [ -z "$rows" ]; then
	echo "All packages needed are installed."
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "No apt-get here; please install what these Debian packages hold:"
	echo "$rows"
	exit 1
fi
echo "Installing these Debian packages and what they depend on:"
echo "$rows"
as_root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "Installing needs root: run as root, or install sudo." >&2
		exit 1
	fi
	as_root=sudo
	echo "(asking sudo for that)"
fi
packages=$(echo "$rows" | cut -d ' ' -f 1)
log=$(mktemp)
start=$(date +%s)
echo "This may take a minute or more; apt-get writes to $log."
policy=/usr/sbin/policy-rc.d # Debian asks it before it starts a service
made_policy=
clean() {
	rm -f "$log"
	[ -z "$made_policy" ] || $as_root rm -f "$policy"
}
trap clean EXIT
if [ ! -e "$policy" ]; then
	made_policy=yes
	printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
	$as_root chmod 755 "$policy"
fi
# shellcheck disable=SC2086 # the list is words
if ! $as_root apt-get -q update >"$log" 2>&1 ||
    ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy \
	--no-install-recommends install $packages >"$log" 2>&1 </dev/null; then
	cat "$log"
	echo "apt-get failed, see above." >&2
	exit 1
fi
if command -v systemctl >/dev/null 2>&1; then
	for service in $services; do
		for package in $packages; do
			[ "$service" != "$package" ] ||
			    $as_root systemctl -q disable "$service" || :
		done
	done
fi
echo "Done, in $(($(date +%s) - start)) s."
