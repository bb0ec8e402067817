#!/bin/sh
# check_manuals.sh - manual pages and programs agree: every option that --help
# names is described, and every option described is named there; the same for
# commands.  (What dslatd.yaml(5) says is held by tests/unit/test_conf_manual.)
set -eu
export LC_ALL=C

: "${top_srcdir:=.}" "${top_builddir:=.}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# The options of a manual page: ".Fl x" of one letter, ".Fl -word" of a long
# one, wherever they stand.
manual_options() { # PAGE
	sed -n 's/^\.\(It\|Nm\|Op\|Fl\)\(.*\)/ \1\2 /p' "$1" |
	    grep -o 'Fl [^ ]*\( | [^ ]*\)*' | sed 's/^Fl //; s/ | /\n/g' |
	    awk '/^-/ { print "-" $0; next }
		{ for (i = 1; i <= length($0); i++)
			print "-" substr($0, i, 1) }'
}

help_options() { # PROGRAM
	{
		"$1" --help
		for command in $(help_commands "$1"); do
			"$1" "$command" --help
		done
	} | grep -oE '(^|[^A-Za-z0-9-])--?[A-Za-z][a-z-]*' |
	    grep -oE -- '--?[A-Za-z][a-z-]*'
}

# compare WHAT PROGRAM PAGE: the sorted lists in $tmp/help and $tmp/manual
compare() {
	if [ ! -s "$tmp/help" ]; then
		echo "$2 --help names no $1"
		failed=1
	fi
	comm -23 "$tmp/help" "$tmp/manual" >"$tmp/missing"
	comm -13 "$tmp/help" "$tmp/manual" >"$tmp/extra"
	while read -r name; do
		echo "$3: $1 $name of $2 --help is not described"
		failed=1
	done <"$tmp/missing"
	while read -r name; do
		echo "$3: $1 $name is not in $2 --help"
		failed=1
	done <"$tmp/extra"
}

check_options() { # PROGRAM PAGE
	help_options "$top_builddir/$1" | sort -u >"$tmp/help"
	manual_options "$top_srcdir/$2" | sort -u >"$tmp/manual"
	compare option "$1" "$2"
}

# The commands of a program: "  name  text" below "commands" of its --help;
# ".It Ic name" in the page.
help_commands() { # PROGRAM
	"$1" --help | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

check_commands() { # PROGRAM PAGE
	help_commands "$top_builddir/$1" | sort -u >"$tmp/help"
	sed -n 's/^\.It Ic \([a-z]*\).*/\1/p' "$top_srcdir/$2" | sort -u \
	    >"$tmp/manual"
	compare command "$1" "$2"
}

check_options dslatd daemon/dslatd.8
check_options dslat daemon/dslat.1
check_commands dslat daemon/dslat.1
exit $failed
