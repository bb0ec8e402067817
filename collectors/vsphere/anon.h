/*
 * anon.h - answers of a target without what they say about its owner.
 *
 * The same word becomes the same pseudonym wherever it stands, so that what
 * belongs together still does: an instance and the url it is the end of, a
 * host and its mounts.  Length, kind of characters and all punctuation stay,
 * since those are what programs stumble over.  Words of vSphere itself stay
 * (vmfs, naa, vmhba64), and so do numbers, dates, booleans and the texts of
 * elements known to hold nothing private; everything else is replaced.
 * Pseudonyms are numbered in order of appearance: nothing of the word is in
 * them.  Pure; one thread at a time.
 */
#ifndef DSLAT_ANON_H
#define DSLAT_ANON_H

#include "dslat/buf.h"

struct anon;

struct anon *anon_new(void) must_check;
void anon_free(struct anon **a);

/* A name, an address, an identifier. */
void anon_text(struct anon *a, struct buf *out, const char *text, size_t len);

/* A whole answer, or what came of it.  Counters of groups that dslat does not
 * read are left out. */
void anon_xml(struct anon *a, struct buf *out, const char *xml, size_t len);

#endif
