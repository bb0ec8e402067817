# c_text.awk - C files as "FILE:LINE:code" with what would mislead grep taken
# out.  Comments become a space; with -v strings=0 the text of string and
# character literals goes too, the quotes stay.  Used by the check scripts.
FNR == 1 {
	in_comment = 0
}
{
	rest = $0
	out = ""
	while (rest != "") {
		if (in_comment) {
			at = index(rest, "*/")
			if (at == 0)
				break
			rest = substr(rest, at + 2)
			in_comment = 0
			out = out " "
			continue
		}
		if (!match(rest, /"|'|\/\*|\/\//)) {
			out = out rest
			break
		}
		out = out substr(rest, 1, RSTART - 1)
		token = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (token == "/*") {
			in_comment = 1
			continue
		}
		if (token == "//")
			break
		# up to the quote that ends it, past escaped characters
		body = ""
		while (rest != "") {
			c = substr(rest, 1, 1)
			if (c == token)
				break
			n = c == "\\" ? 2 : 1
			body = body substr(rest, 1, n)
			rest = substr(rest, n + 1)
		}
		rest = substr(rest, 2)
		keep = strings || out ~ /^[ \t]*#[ \t]*include/
		out = out token (keep ? body : "") token
	}
	print FILENAME ":" FNR ":" out
}
