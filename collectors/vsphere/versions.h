/*
 * versions.h - which API version to speak: GET /sdk/vimServiceVersions.xml.
 *
 * The server filters its answers to what the version in SOAPAction knows, so
 * the highest one both sides know is used.  Names that are not on our list
 * (a real 8.0.3 calls itself "uA046D008") do not count.  Pure.
 */
#ifndef DSLAT_VERSIONS_H
#define DSLAT_VERSIONS_H

#include "answer.h"

#define VERSIONS_PATH "/sdk/vimServiceVersions.xml"
#define VERSIONS_DEFAULT "6.5"

struct answer *versions_answer(void) must_check;
/* The highest version of urn:vim25 both know; NULL when there is none. */
const char *versions_get(const struct answer *r);
/* Without that file: the highest of ours not above about.apiVersion (NULL or
 * nonsense: VERSIONS_DEFAULT). */
const char *versions_fallback(const char *api_version);

#endif
