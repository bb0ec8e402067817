/*
 * tokens.h - who may read and write: the tokens file.
 *
 * One token per line, "NAME:ROLE:SHA-256 of the token in hex", NAME of letters,
 * digits, "-", "_" and ".", ROLE "read" or "write" (which may read too); empty
 * lines and those that begin with # are skipped.  A token is "dslat_" and 64
 * hex digits: 256 random bits, so a plain hash is enough to hold it, and nobody
 * who reads the file can use it.  A line that is wrong does not count and is
 * reported; the others count all the same, so that a slip of the pen neither
 * locks everybody out nor keeps a removed token alive.
 *
 * tokens_parse() and tokens_find() are pure; tokens_load() and tokens_append()
 * touch the file.  The owner calls tokens_fini().
 */
#ifndef DSLAT_TOKENS_H
#define DSLAT_TOKENS_H

#include "dslat/buf.h"
#include "dslat/digest.h"
#include "dslat/err.h"

#define TOKEN_NAME_MAX_BYTES 63
#define TOKEN_PREFIX "dslat_"
#define TOKEN_SIZE (sizeof(TOKEN_PREFIX) - 1 + SHA256_HEX_SIZE)
#define TOKENS_MAX 1000

enum token_role { TOKEN_READ, TOKEN_WRITE };
const char *token_role_name(enum token_role r);
int token_role_parse(const char *name, enum token_role *r_r) must_check;

struct token {
	char *name;
	enum token_role role;
	unsigned char sha256[SHA256_BYTES];
};

struct tokens {
	struct token *rows; /* owned */
	size_t n;
};

/* All lines that are right.  The number of wrong ones; of the first, *e says
 * what and in which line. */
size_t tokens_parse(struct tokens *t, const char *text, size_t len,
		    struct err *e) must_check;
void tokens_fini(struct tokens *t);
/* The row of what somebody showed, or NULL.  Looks at every row. */
const struct token *tokens_find(const struct tokens *t, const char *shown);
const struct token *tokens_find_hash(const struct tokens *t,
				     const unsigned char sha256[SHA256_BYTES]);

/* "" or why a name cannot be one; the line of a new token, with its newline. */
const char *token_name_fault(const char *name);
int token_line(struct buf *b, const char *name, enum token_role role,
	       const char *token);
void token_make(char out[TOKEN_SIZE]);

/* tokens_file.c: what tells that the file is another one now. */
struct tokens_stamp {
	int64_t mtime_ns, ctime_ns, size_bytes;
	uint64_t inode;
};
void tokens_stamp(const char *path, struct tokens_stamp *s_r);
bool tokens_stamp_same(const struct tokens_stamp *a,
		       const struct tokens_stamp *b);
/* 0, and *t is the new set, maybe with wrong lines (e->text not "").  -1: there
 * is none or others may write or everybody may read it; *t is empty then. */
int tokens_load(struct tokens *t, const char *path, struct err *e) must_check;
/* Add a line; makes the file, with mode 0600 and for whom the folder is, when
 * there is none.  Refuses a name that is in it. */
int tokens_append(const char *path, const char *name, const char *line,
		  struct err *e) must_check;

#endif
