#!/bin/sh
# check_dist.sh TARBALL - everything in git is in the tarball, and nothing of
# the build folder.  Run by tests/run.sh in a git checkout.
set -eu
export LC_ALL=C

tarball=$(realpath "$1")
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

tar -tf "$tarball" | sed 's,^[^/]*/,,; /\/$/d; /^$/d' | sort >"$tmp/tarball"
git ls-files | sort >"$tmp/git"
# git's own files, and what CI calls, say nothing outside a checkout
grep -vE '^\.(ci/|gitattributes$|gitignore$|editorconfig$)' "$tmp/git" |
    comm -23 - "$tmp/tarball" >"$tmp/missing"
if [ -s "$tmp/missing" ]; then
	echo "in git, not in the tarball:" >&2
	cat "$tmp/missing" >&2
	exit 1
fi
# what only the tarball has: what autogen.sh made and web/fetch.sh got
comm -13 "$tmp/git" "$tmp/tarball" | grep -vE \
    '^(aclocal\.m4|build-aux/|config\.h\.in|configure$|Makefile\.in$|web/vendor/)' \
    >"$tmp/extra" || :
if [ -s "$tmp/extra" ]; then
	echo "in the tarball, not in git:" >&2
	cat "$tmp/extra" >&2
	exit 1
fi
