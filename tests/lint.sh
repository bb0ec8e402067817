#!/bin/sh
# lint.sh [STEP...] - what `make lint` runs; all steps, or those named.
# lint.sh --fix     - what `make format` runs.
#
# Prints one "PASS: lint/STEP" or "FAIL: lint/STEP" line per step.  $TIDY_FILES
# limits tidy, the slow one, to some files.  TIDY_DEEP=yes lets its analyser
# follow calls as far as it likes, for four times as long.
set -eu
export LC_ALL=C

cd "${top_srcdir:-.}"
build=${OLDPWD:-.}
jobs=$(nproc)
flags="-std=c11 -D_GNU_SOURCE -Iinclude -I. -I$build ${LIB_CPPFLAGS-}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

c_files() { # PATTERN: generated and fetched files apart
	find include daemon collectors web tests \
	    \( -name node_modules -o -path web/npm \) -prune -o \
	    -name "$1" ! -path web/assets.c -print | sort
}

step_format() {
	c_files '*.[ch]' | xargs clang-format --dry-run -Werror
}

# One file per run: with several, clang-tidy 14 carries the state of a va_list
# from one to the next and reports it as not initialised.  A file that was fine
# is not looked at again in the same build folder until it, a header or the
# configuration changes.
step_tidy() {
	depth='-Xclang -analyzer-config -Xclang mode=shallow'
	[ "${TIDY_DEEP-}" != yes ] || depth=
	mkdir -p "$build/tidy-fine"
	if [ -n "${TIDY_FILES-}" ]; then
		echo "$TIDY_FILES"
	else
		c_files '*.c'
	fi | flags="$flags $depth" fine=$build/tidy-fine \
	    xargs -P "$jobs" -n 1 sh -c '
		key=$({
			clang -E -C $flags "$1"
			echo "$flags"
			cat .clang-tidy tests/.clang-tidy
		} | sha256sum)
		[ ! -e "$fine/${key%% *}" ] || exit 0
		clang-tidy --quiet "$1" -- $flags 2>/dev/null || exit 1
		: >"$fine/${key%% *}"' tidy
}

step_cppcheck() {
	# shellcheck disable=SC2046,SC2086
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
	    -j "$jobs" --enable=warning,performance,portability \
	    --suppressions-list=tests/cppcheck.supp \
	    --library=posix -D_GNU_SOURCE -I include -I . \
	    $(c_files '*.c')
}

step_shellcheck() {
	{
		find . \( -name node_modules -o -name .git -o -name 'build*' \
		    -o -path ./web/npm \) -prune -o -name '*.sh' -print
		[ ! -f .ci/run ] || echo .ci/run
	} | sort | xargs shellcheck -x -P SCRIPTDIR
}

# Pages refer to each other, installed or not.
step_manuals() {
	command -v mandoc >/dev/null || { echo 'no mandoc'; return 1; }
	find daemon packaging tests -name '*.[1-9]' | sort |
	    xargs mandoc -Tlint -Wstyle >"$tmp/manuals" || :
	! grep -v 'STYLE: referenced manual not found' "$tmp/manuals"
}

step_checks() {
	rc=0
	for check in banned headers layers selftest size units; do
		CHECK_CFLAGS="-std=c11 -D_GNU_SOURCE ${LIB_CPPFLAGS-}" \
		top_srcdir=. sh "tests/check_$check.sh" || rc=1
	done
	return "$rc"
}

if [ "${1-}" = --fix ]; then
	c_files '*.[ch]' | xargs clang-format -i
	exit
fi
[ $# -ne 0 ] || set -- format tidy cppcheck shellcheck manuals checks
failed=0
for step; do
	if (set -e; "step_$step") >"$tmp/out" 2>&1; then
		echo "PASS: lint/$step"
	else
		cat "$tmp/out"
		echo "FAIL: lint/$step"
		failed=1
	fi
done
exit $failed
