#include "web/hostname.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define NAME_MAX_BYTES 255

static bool
is_loopback_address(const char *name)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, name, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, name, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool
hostname_is_ours(const char *header, const char *listen_name)
{
	static const char local[] = ".localhost";
	const char *end = header + strcspn(header, ":");
	char name[NAME_MAX_BYTES + 1];
	size_t len;

	if (*header == '[') { /* "[::1]:9969" */
		header++;
		end = header + strcspn(header, "]");
	}
	len = (size_t)(end - header);
	if (len != 0 && header[len - 1] == '.')
		len--; /* "localhost." is the same name */
	if (len == 0 || len > NAME_MAX_BYTES)
		return false;
	memcpy(name, header, len);
	name[len] = '\0';
	if (strcasecmp(name, "localhost") == 0 ||
	    strcasecmp(name, listen_name) == 0)
		return true;
	if (len > sizeof(local) - 1 &&
	    strcasecmp(name + len - (sizeof(local) - 1), local) == 0)
		return true; /* RFC 6761, 6.3 */
	return is_loopback_address(name);
}
