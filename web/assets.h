/*
 * assets.h - the files of the page, embedded in the program.
 *
 * web/embed.sh writes the table at build time from the list in web/local.mk.
 * Constant; any thread.
 */
#ifndef DSLAT_ASSETS_H
#define DSLAT_ASSETS_H

#include "dslat/base.h"

struct asset {
	const char *path; /* "index.html": the file's name, no slash */
	const char *mime; /* "text/html; charset=utf-8" */
	const unsigned char *bytes; /* as they are */
	size_t size_bytes;
	const unsigned char *gzip; /* the same, compressed */
	size_t gzip_bytes;
	/* Strong entity tags with their quotes: SHA-256 of the bytes sent, so
	 * each of the two forms has its own (RFC 9110, 8.8.3). */
	const char *etag;
	const char *gzip_etag;
};

extern const struct asset assets[]; /* sorted as in web/local.mk */
extern const size_t n_assets;

#endif
