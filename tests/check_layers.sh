#!/bin/sh
# check_layers.sh [TREE] - who may include what.
#
#	base <- core <- shell <- { collectors, export, notify, web, cli } <- main
#
# A file includes headers of its own folder's layer and of layers to the left,
# never of a neighbour.  Core and decoders are pure: bytes and a time in,
# structs out, no I/O, clock or log.  Each library has one door.
# A new edge is a change to the tables below.
. "$(dirname "$0")/check_lib.sh"

# A header of include/dslat belongs to the layer of the .c file of its name; one
# without is core's, unless it stands here.
header_layer() {
	case $1 in
	base.h | varint.h) echo base ;;
	collector.h | fetch.h | loop.h | notifiers.h | store.h | watch.h) echo shell ;;
	*)
		set -- "$(find daemon collectors web -name "${1%.h}.c" |
		    head -n 1)"
		if [ -n "$1" ]; then layer "$1"; else echo core; fi
		;;
	esac
}

layer() {
	case $1 in
	daemon/base/*) echo base ;;
	daemon/core/*) echo core ;;
	daemon/shell/*) echo shell ;;
	daemon/export/*) echo export ;;
	daemon/notify/*) echo notify ;;
	daemon/cli/*) echo cli ;;
	daemon/main*.[ch]) echo main ;;
	collectors/*) echo collectors ;;
	web/*) echo web ;;
	include/dslat/*) header_layer "${1##*/}" ;;
	*) echo unknown ;;
	esac
}

# may FROM TO: may layer FROM include layer TO?
may() {
	case $1:$2 in
	"$1:$1") ;;
	main:* | *:base) ;;
	shell:core) ;;
	collectors:core | collectors:shell) ;;
	export:core | export:shell) ;;
	notify:core | notify:shell) ;;
	web:core | web:shell) ;;
	cli:core | cli:shell) ;;
	cli:collectors) ;; # dslat discover
	*) return 1 ;;
	esac
}

# Files of collectors and notifiers that talk to the world; all others there
# are decoders and renderers.
is_pure() {
	case $1 in
	daemon/core/*) ;;
	daemon/notify/notifier*.c | daemon/notify/send*.[ch]) return 1 ;;
	daemon/notify/*) ;;
	collectors/*/discover.c) return 1 ;;
	collectors/*/poller*.[ch] | collectors/*/refresh.c) return 1 ;;
	collectors/*/session.[ch]) return 1 ;;
	collectors/*/vsphere*.[ch]) return 1 ;;
	collectors/*) ;;
	*) return 1 ;;
	esac
}

impure='unistd.h sys/socket.h sys/time.h time.h stdio.h pthread.h poll.h
	fcntl.h signal.h dslat/log.h dslat/loop.h dslat/fetch.h'

# Library header, then the files that may include it.
doors='
curl/*		daemon/shell/loop_curl.h
libxml/*	collectors/vsphere/xml.c
gnutls/*	web/tls_files.c
microhttpd.h	web/http_parts.h
zlib.h		daemon/base/zip.c web/gzip.c
openssl/*	daemon/base/digest.c daemon/shell/tls_pin.c
jansson.h	include/dslat/json.h
libfyaml.h	daemon/core/yaml.c
pthread.h	daemon/shell/worker.c
sqlite3.h	daemon/shell/db.c
'

# Headers of the C library and the system; anything else in <> needs a door.
system='arpa/inet.h assert.h ctype.h dirent.h errno.h fcntl.h float.h fnmatch.h
	getopt.h inttypes.h langinfo.h libgen.h limits.h locale.h math.h netdb.h
	netinet/in.h netinet/tcp.h poll.h pwd.h signal.h spawn.h stdarg.h stdatomic.h
	stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h wchar.h
	sys/file.h sys/ioctl.h sys/mman.h sys/queue.h sys/random.h
	sys/resource.h sys/socket.h sys/stat.h sys/statvfs.h
	sys/time.h sys/types.h sys/un.h sys/wait.h syslog.h termios.h time.h
	unistd.h'

# in_list WORD LIST: is WORD matched by a pattern of LIST?
in_list() {
	for pattern in $2; do
		# shellcheck disable=SC2254 # patterns, on purpose
		case $1 in $pattern) return 0 ;; esac
	done
	return 1
}

# door HEADER: the files that may include it; nothing if it is no library's.
door() {
	echo "$doors" | while read -r header files; do
		if [ -n "$header" ] && in_list "$1" "$header"; then
			echo "$files"
		fi
	done
}

check_system() { # FILE LINE HEADER
	files=$(door "$3")
	if [ -n "$files" ]; then
		in_list "$1" "$files" ||
		    finding "$1:$2: <$3> is for $files only"
	elif ! in_list "$3" "$system"; then
		finding "$1:$2: <$3> is neither the system's nor in the table"
	fi
}

check_own() { # FILE LINE HEADER
	from=$(layer "$1")
	case $3 in
	config.h) # written by configure; the pure layers do not depend on it
		case $from:$1 in
		core:daemon/core/conf_keys.c) ;; # the version, for messages
		base:* | core:*) finding "$1:$2: $from includes config.h" ;;
		esac
		return
		;;
	dslat/*) to=$(layer "include/$3") ;;
	*/*) to=$(layer "$3") ;;
	*) to=$(layer "${1%/*}/$3") ;;
	esac
	if ! may "$from" "$to"; then
		finding "$1:$2: $from includes $3 of $to"
	fi
}

set -f
found=$(c_files daemon collectors web include/dslat | c_text 1 |
    sed -n 's/^\([^:]*\):\([0-9]*\):[ 	]*#[ 	]*include[ 	]*\([<"]\)\([^>"]*\).*/\1 \2 \3 \4/p')
set +f
while read -r file line kind header; do
	[ -n "$file" ] || continue
	[ "$(layer "$file")" != unknown ] ||
	    finding "$file:$line: this file belongs to no layer"
	if is_pure "$file" && in_list "$header" "$impure"; then
		finding "$file:$line: pure code includes $header"
	elif [ "$kind" = '<' ]; then
		check_system "$file" "$line" "$header"
	else
		check_own "$file" "$line" "$header"
	fi
done <<END
$found
END
finish
