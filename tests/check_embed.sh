#!/bin/sh
# web/embed.sh: what comes out of the C file is what went in, byte for byte.
set -eu

: "${top_srcdir:=.}" "${CC:=cc}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

mkdir "$tmp/in" "$tmp/out"
# every byte twice, the second time backwards; nothing; a line
awk 'BEGIN {
	for (i = 0; i < 512; i++)
		printf "\\%03o", i < 256 ? i : 511 - i
}' >"$tmp/octal"
# shellcheck disable=SC2059 # the escapes are meant
printf "$(cat "$tmp/octal")" >"$tmp/in/all.png"
: >"$tmp/in/empty.css"
echo '<p>"quoted" \ äöü</p>' >"$tmp/in/page.html"
test "$(wc -c <"$tmp/in/all.png")" -eq 512

set -- "$tmp/in/all.png" "$tmp/in/empty.css" "$tmp/in/page.html"
sh "$top_srcdir/web/embed.sh" "$@" >"$tmp/assets.c"
cat >"$tmp/main.c" <<'END'
#include <stdio.h>
#include "web/assets.h"
static int
put(const char *name, const char *end, const void *p, size_t n)
{
	char path[256];
	FILE *f;
	snprintf(path, sizeof(path), "%s%s", name, end);
	f = fopen(path, "wb");
	if (f == NULL || fwrite(p, 1, n, f) != n)
		return -1;
	return fclose(f);
}
int
main(void)
{
	for (size_t i = 0; i < n_assets; i++) {
		const struct asset *a = &assets[i];
		if (put(a->path, "", a->bytes, a->size_bytes) != 0 ||
		    put(a->path, ".gz", a->gzip, a->gzip_bytes) != 0)
			return 1;
		printf("%s|%s|%s|%s\n", a->path, a->mime, a->etag,
		       a->gzip_etag);
	}
	return 0;
}
END
$CC -Wall -Werror -I"$top_srcdir" -I"$top_srcdir/include" \
    -o "$tmp/main" "$tmp/main.c" "$tmp/assets.c"
(cd "$tmp/out" && "$tmp/main" >../table)

etag() {
	printf '"%s"' "$(sha256sum <"$1" | cut -d ' ' -f 1)"
}
for f; do
	name=${f##*/}
	cmp "$f" "$tmp/out/$name"
	gzip -dc "$tmp/out/$name.gz" | cmp - "$f"
	grep "^$name|.*|$(etag "$f")|$(etag "$tmp/out/$name.gz")\$" \
	    "$tmp/table"
done
grep -q '^page.html|text/html; charset=utf-8|' "$tmp/table"

# no clock and no name inside: the same input gives the same output
touch -d 2001-01-01 "$@"
sh "$top_srcdir/web/embed.sh" "$@" | cmp - "$tmp/assets.c"

# a file whose type is not known is an error
: >"$tmp/in/what.xyz"
if sh "$top_srcdir/web/embed.sh" "$tmp/in/what.xyz" >"$tmp/x" 2>&1; then
	echo 'embed.sh took what.xyz' >&2
	exit 1
fi
