#!/bin/sh
# fetch.sh FOLDER WORK - get uPlot, the one that FOLDER/package-lock.json
# names, into WORK/node_modules/uplot.
#
# With npm ($NPM) npm does it.  But Debian's npm brings 370 packages along, so
# it can be done without: $npm_config_registry or node-registry-url tells where
# packages are, curl gets this one, and openssl holds it against the checksum
# of the lock file.
set -eu

folder=$1 work=$2
lock=$folder/package-lock.json
where=/usr/share/nodejs/registry-url/index.js # Debian's node-registry-url

fail() { echo "fetch.sh: $*" >&2; exit 1; }

# field NAME: of uPlot in the lock file
field() {
	sed -n '/"node_modules\/uplot"/,/}/s/.*"'"$1"'": *"\([^"]*\)".*/\1/p' \
	    "$lock"
}

mkdir -p "$work"
if [ "${NPM:-:}" != : ]; then
	cp "$folder/package.json" "$lock" "$work"
	"$NPM" ci --prefix "$work" --ignore-scripts --no-audit --no-fund \
	    --loglevel=error >/dev/null
	exit
fi

version=$(field version)
checksum=$(field integrity)
case $version:$checksum in
?*:sha512-?*) ;;
*) fail "$lock has no version or no sha512 of uplot" ;;
esac
registry=${npm_config_registry-}
[ -n "$registry" ] || registry=$(node --input-type=module -e \
    "import url from '$where'; console.log(url())") ||
    fail 'install npm, or node-registry-url, or set npm_config_registry'

packed=$work/uplot.tgz
curl -fsSL --retry 2 --max-time 120 -o "$packed" \
    "${registry%/}/uplot/-/uplot-$version.tgz"
got=sha512-$(openssl dgst -sha512 -binary "$packed" | openssl base64 -A)
[ "$got" = "$checksum" ] ||
    fail "uplot $version from $registry is not the one of $lock: $got"
rm -rf "$work/package" "$work/node_modules"
tar -xzf "$packed" -C "$work"
mkdir "$work/node_modules"
mv "$work/package" "$work/node_modules/uplot"
