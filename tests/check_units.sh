#!/bin/sh
# check_units.sh [TREE] - a name that says latency, timeout, age, ... says in
# which unit.
#
# Looked at: identifiers in headers, and in .c files the string literals that
# are a key (configuration, JSON, metrics).  A name is split at underscores:
# "age" is the word, not the end of "page" or "storage".
. "$(dirname "$0")/check_lib.sh"

# Names that carry no number with a unit, with their file.  Reviewed: each says
# why.
allowed='
include/dslat/err.h:ERR_TIMEOUT		an error code
daemon/base/err.c:timeout		its word
include/dslat/model.h:N_LATENCY_BOUNDS	a count
include/dslat/sample.h:cell_has_latency	a question
collectors/vsphere/perf.c:interval	an element of vim25
web/api_writes.c:duration		a text that says it: 90m, 2h
daemon/cli/cmd_silence.c:duration	the same
'

{
	c_files include daemon collectors web | grep '\.h$' | c_text 0 |
	    sed 's/"[^"]*"//g'
	c_files daemon collectors web | c_text 1 |
	    awk -F : '{
		where = $1 ":" $2 ":"
		text = substr($0, length(where) + 1)
		while (match(text, /"[a-z0-9_.]+"/)) {
			print where substr(text, RSTART + 1, RLENGTH - 2)
			text = substr(text, RSTART + RLENGTH)
		}
	    }'
} | awk -F : -v allowed="$allowed" '
BEGIN {
	n = split(allowed, lines, "\n")
	for (i = 1; i <= n; i++)
		if (split(lines[i], words, /[ \t]+/) > 1)
			ok[words[1]] = 1
	n = split("ns us ms s seconds minutes hours days pct ratio n", u, " ")
	for (i = 1; i <= n; i++)
		unit[u[i]] = 1
	long_words = "latency|latencies|timeout|interval|duration|elapsed"
	short_words = "^(delay|delays|age|ages|period|periods)$"
}
# Does the name mean a time, and does it fail to say the unit?
function bad(name,	words, n, i, hit) {
	if (($1 ":" name) in ok || name ~ /^n_/)
		return 0
	n = split(tolower(name), words, /[_.]/)
	for (i = 1; i <= n; i++)
		if (words[i] ~ long_words || words[i] ~ short_words)
			hit = 1
	if (!hit)
		return 0
	while (n > 1 && (words[n] == "r" || words[n] == "max" ||
	    words[n] == "min" || words[n] == "total"))
		n--	# age_us_r, seconds_total
	return !(words[n] in unit)
}
{
	where = $1 ":" $2 ":"
	text = substr($0, length(where) + 1)
	while (match(text, /[A-Za-z_][A-Za-z0-9_.]*/)) {
		name = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (bad(name))
			print where " " name ": in which unit?"
	}
}' >"${TMPDIR:-/tmp}/check_units.$$"
trap 'rm -f "${TMPDIR:-/tmp}/check_units.$$"' EXIT
while read -r line; do
	finding "$line"
done <"${TMPDIR:-/tmp}/check_units.$$"
finish
