#!/bin/sh
# embed.sh FILE... - print the C file that holds these files (web/assets.h).
# Each is kept as it is and compressed; its path is the name without folders.
set -eu
export LC_ALL=C

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

mime() {
	case $1 in
	*.html) echo 'text/html; charset=utf-8' ;;
	*.css) echo 'text/css; charset=utf-8' ;;
	*.js) echo 'text/javascript; charset=utf-8' ;;
	*.json) echo 'application/json' ;;
	*.svg) echo 'image/svg+xml' ;;
	*.png) echo 'image/png' ;;
	*)
		echo "embed.sh: $1: no media type known for this name" >&2
		exit 1
		;;
	esac
}

# c_array NAME FILE: its bytes; the 0 behind them keeps an empty file legal C.
c_array() {
	printf 'static const unsigned char %s[] = {\n' "$1"
	od -An -v -tx1 <"$2" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
	printf '0};\n'
}

etag() {
	set -- "$(sha256sum <"$1")"
	printf '%s' "${1%% *}"
}

echo '/* Written by web/embed.sh. */'
echo '#include "web/assets.h"'
i=0
for file; do
	gzip -9n <"$file" >"$tmp/gzip"
	type=$(mime "$file")
	c_array "bytes_$i" "$file"
	c_array "gzip_$i" "$tmp/gzip"
	printf '{ "%s", "%s", bytes_%d, sizeof(bytes_%d) - 1, ' \
	    "${file##*/}" "$type" "$i" "$i" >>"$tmp/table"
	printf 'gzip_%d, sizeof(gzip_%d) - 1, "\\"%s\\"", "\\"%s\\"" },\n' \
	    "$i" "$i" "$(etag "$file")" "$(etag "$tmp/gzip")" >>"$tmp/table"
	i=$((i + 1))
done
echo 'const struct asset assets[] = {'
cat "$tmp/table"
echo '};'
echo 'const size_t n_assets = ARRAY_SIZE(assets);'
