#!/bin/bash
# run.sh DSLATD [BUILD_FOLDER] - dslatd against govmomi's simulator.
#
# Builds the small Go program beside this script from Debian's
# golang-github-vmware-govmomi-dev (about half a minute the first time).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${2:-$(mktemp -d)}
mkdir -p "$work"
(cd "$here" && GO111MODULE=off GOPATH=/usr/share/gocode \
    GOCACHE="$work/gocache" go build -o "$work/vcsim" .)
exec /usr/bin/python3 "$here/run.py" "$1" "$work/vcsim"
