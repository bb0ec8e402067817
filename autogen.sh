#!/bin/sh
# Make ./configure from configure.ac; only needed in a git checkout.
set -eu
cd "$(dirname "$0")"
exec autoreconf --force --install --warnings=all
