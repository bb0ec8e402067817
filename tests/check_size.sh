#!/bin/sh
# check_size.sh [TREE] - a file of the product stays below about 500 lines: at
# 600 it must be split (functions: see .clang-tidy).
. "$(dirname "$0")/check_lib.sh"

max_lines=600
for file in $(c_files include daemon collectors web); do
	lines=$(wc -l <"$file")
	[ "$lines" -lt $max_lines ] ||
	    finding "$file:$lines: $lines lines, split it"
done
finish
