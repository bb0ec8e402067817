#include "dslat/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dslat/mem.h"

#define CONF_MAX_BYTES ((size_t)1 << 20)
#define CA_MAX_BYTES ((size_t)4 << 20)
#define SECRET_MAX_BYTES ((size_t)4096)
#define CHUNK_BYTES 4096
#define CREDENTIALS "/run/credentials/" /* systemd's, of a running service */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* ---- files -------------------------------------------------------------- */

/* Who we are, for a message: the effective user's name, or number. */
static char *
user_name(void)
{
	struct passwd pw, *found = NULL;
	char room[4096];

	if (getpwuid_r(geteuid(), &pw, room, sizeof(room), &found) == 0 &&
	    found != NULL)
		return xstrdup(found->pw_name);
	return xasprintf("%lu", (unsigned long)geteuid());
}

static int
cannot_read(const char *path, int error, struct err *e)
{
	char *user = user_name();

	if (error == EACCES || error == EPERM)
		err_set(e, ERR_IO,
			"user %s may not read %s; chown it to root:%s and "
			"chmod it 640, or use password_credential for a "
			"password",
			user, path, user);
	else if (error == EISDIR)
		err_set(e, ERR_IO, "%s is a folder; name a file in it", path);
	else if (error == ENOENT)
		err_set(e, ERR_IO, "%s does not exist; create it", path);
	else
		err_set(e, ERR_IO, "cannot read %s: %s", path, strerror(error));
	free(user);
	return -1;
}

/* All of a file; b's ceiling is the limit.  st_r may be NULL. */
static int
read_file(const char *path, struct buf *b, struct stat *st_r, struct err *e)
{
	char chunk[CHUNK_BYTES];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error = 0;

	if (fd < 0)
		return cannot_read(path, errno, e);
	if (fstat(fd, &st) != 0)
		error = errno;
	else if (S_ISDIR(st.st_mode))
		error = EISDIR;
	while (error == 0 && !b->full &&
	       (n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n > 0)
			buf_add(b, chunk, (size_t)n);
		else if (errno != EINTR)
			error = errno;
	}
	mem_wipe(chunk, sizeof(chunk));
	close(fd);
	if (error != 0)
		return cannot_read(path, error, e);
	if (b->full)
		return err_set(e, ERR_LIMIT,
			       "%s is larger than %zu KiB; name another file",
			       path, b->max >> 10);
	if (st_r != NULL)
		*st_r = st;
	return 0;
}

/* ---- passwords ---------------------------------------------------------- */

/* Takes what is in b; from says where it is from. */
static int
take_secret(struct buf *b, const char *from, struct secret *s_r, struct err *e)
{
	const char *what = NULL;

	if (b->len > 0 && b->data[b->len - 1] == '\n') {
		b->data[--b->len] = '\0';
		if (b->len > 0 && b->data[b->len - 1] == '\r')
			b->data[--b->len] = '\0';
	}
	if (b->len == 0)
		what = "is empty; put the password there";
	else if (strlen(b->data) != b->len)
		what = "holds a zero byte; put only the password there";
	else if (strncmp(b->data, BYTE_ORDER_MARK, 3) == 0)
		what = "begins with a byte order mark; save it without";
	else if (strpbrk(b->data, "\r\n") != NULL)
		what = "has more than one line; put only the password there";
	if (what != NULL)
		return err_set(e, ERR_CONF, "%s %s", from, what);
	s_r->text = buf_take(b);
	return 0;
}

/* A buffer for secrets: it never grows, so no copy of them stays behind. */
static void
secret_buf_init(struct buf *b)
{
	buf_init(b, SECRET_MAX_BYTES);
	b->room = SECRET_MAX_BYTES + 1;
	b->data = xmalloc(b->room);
	b->data[0] = '\0';
}

static void
secret_buf_fini(struct buf *b)
{
	if (b->data != NULL)
		mem_wipe(b->data, b->room);
	buf_fini(b);
}

static int
secret_from_file(const char *path, struct secret *s_r, struct stat *st_r,
		 struct err *e)
{
	struct buf b;
	int rc;

	secret_buf_init(&b);
	rc = read_file(path, &b, st_r, e);
	if (rc == 0)
		rc = take_secret(&b, path, s_r, e);
	secret_buf_fini(&b);
	return rc;
}

int
secret_read_file(const char *path, struct secret *s_r, struct err *e)
{
	s_r->text = NULL;
	return secret_from_file(path, s_r, NULL, e);
}

static int
secret_from_env(const char *name, struct secret *s_r, struct err *e)
{
	const char *value = getenv(name);
	char *from = xasprintf("the environment variable %s", name);
	struct buf b;
	int rc;

	secret_buf_init(&b);
	if (value == NULL)
		rc = err_set(e, ERR_CONF,
			     "%s is not set; set it, or use password_file",
			     from);
	else if (buf_adds(&b, value) != 0)
		rc = err_set(e, ERR_CONF,
			     "%s is longer than %zu bytes; put only the "
			     "password there",
			     from, SECRET_MAX_BYTES);
	else
		rc = take_secret(&b, from, s_r, e);
	secret_buf_fini(&b);
	free(from);
	return rc;
}

static int
secret_from_credential(const char *name, struct secret *s_r, struct err *e)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	char *path;
	int rc;

	if (dir == NULL)
		return err_set(e, ERR_CONF,
			       "systemd passed no credentials; add "
			       "LoadCredential=%s:FILE to the service",
			       name);
	path = xasprintf("%s/%s", dir, name);
	if (access(path, F_OK) != 0)
		rc = err_set(e, ERR_CONF,
			     "systemd passed no credential %s; add "
			     "LoadCredential=%s:FILE to the service",
			     name, name);
	else
		rc = secret_from_file(path, s_r, NULL, e);
	free(path);
	return rc;
}

int
conf_read_secret(const struct conf_target *t, struct secret *s_r, struct err *e)
{
	int rc;

	s_r->text = NULL;
	if (t->password_file != NULL)
		rc = secret_from_file(t->password_file, s_r, NULL, e);
	else if (t->password_env != NULL)
		rc = secret_from_env(t->password_env, s_r, e);
	else if (t->password_credential != NULL)
		rc = secret_from_credential(t->password_credential, s_r, e);
	else
		rc = err_set(e, ERR_CONF, "none is configured");
	return rc == 0 ? 0 : err_wrap(e, "password of target %s", t->name);
}

/* ---- the files a configuration names ------------------------------------- */

/* Of a key in an entry of a list; line is where the entry begins. */
static struct mark
place(const struct conf *c, const char *entry, int line, const char *key)
{
	char *path = xasprintf("%s.%s", entry, key);
	struct mark at = { line, 1 };

	conf_is_set(c, path, &at);
	free(path);
	return at;
}

static void
check_secret_file(const char *path, struct mark at, struct faults *f)
{
	struct secret s = { NULL };
	struct stat st = { .st_mode = 0 };
	struct err e = { .code = ERR_NONE };

	if (path == NULL || path[0] != '/')
		return;
	if (secret_from_file(path, &s, &st, &e) != 0 &&
	    strncmp(path, CREDENTIALS, strlen(CREDENTIALS)) == 0)
		fault_warn(f, at, "%s; only the service sees this folder",
			   e.text);
	else if (e.code != ERR_NONE)
		fault_add(f, at, "%s", e.text);
	else if ((st.st_mode & S_IROTH) != 0)
		fault_warn(f, at,
			   "everybody on this machine can read %s; chmod o= it",
			   path);
	secret_fini(&s);
}

/* Variables and credentials belong to the service; where dslatd -t runs they
 * need not be there. */
static void
check_password_env(const struct conf_target *t, const struct conf *c,
		   const char *entry, struct faults *f)
{
	const char *key = "password_env";
	struct secret s = { NULL };
	struct err e;
	int rc = 0;

	if (t->password_env != NULL) {
		rc = secret_from_env(t->password_env, &s, &e);
	} else if (t->password_credential != NULL) {
		key = "password_credential";
		rc = secret_from_credential(t->password_credential, &s, &e);
	}
	if (rc != 0)
		fault_warn(f, place(c, entry, t->line, key), "%s", e.text);
	secret_fini(&s);
}

static void
check_ca_file(const char *path, struct mark at, struct faults *f)
{
	struct buf b;
	struct err e;

	if (path == NULL || path[0] != '/')
		return;
	buf_init(&b, CA_MAX_BYTES);
	if (read_file(path, &b, NULL, &e) != 0)
		fault_add(f, at, "%s", e.text);
	else if (strstr(buf_str(&b), "-----BEGIN CERTIFICATE-----") == NULL &&
		 strstr(buf_str(&b), "-----BEGIN TRUSTED CERTIFICATE-----") ==
			 NULL)
		fault_add(f, at,
			  "%s holds no certificate in PEM form; convert it "
			  "with openssl x509, or name another",
			  path);
	buf_fini(&b);
}

static void
check_command(const struct conf_notify *n, struct mark at, struct faults *f)
{
	const char *path = n->command != NULL ? n->command[0] : NULL;

	if (path != NULL && path[0] == '/' && access(path, X_OK) != 0)
		fault_add(f, at,
			  "%s cannot be run: %s; correct the path, or "
			  "chmod +x it",
			  path, strerror(errno));
}

static void
check_files(const struct conf *c, struct faults *f)
{
	for (size_t i = 0; i < c->n_targets; i++) {
		const struct conf_target *t = &c->targets[i];
		char *entry = xasprintf("targets[%zu]", i);

		check_secret_file(t->password_file,
				  place(c, entry, t->line, "password_file"), f);
		check_password_env(t, c, entry, f);
		check_ca_file(t->ca_file,
			      place(c, entry, t->line, "tls.ca_file"), f);
		free(entry);
	}
	for (size_t i = 0; i < c->n_notify; i++) {
		const struct conf_notify *n = &c->notify[i];
		char *entry = xasprintf("notify[%zu]", i);

		check_secret_file(n->password_file,
				  place(c, entry, n->line, "password_file"), f);
		check_secret_file(n->secret_file,
				  place(c, entry, n->line, "secret_file"), f);
		check_ca_file(n->ca_file,
			      place(c, entry, n->line, "tls.ca_file"), f);
		check_command(n, place(c, entry, n->line, "command"), f);
		free(entry);
	}
}

struct conf *
conf_load(const char *path, struct buf *problems, struct err *e)
{
	struct conf *c;
	struct faults f;
	struct buf text;

	buf_init(&text, CONF_MAX_BYTES);
	if (read_file(path, &text, NULL, e) != 0) {
		if (access(path, F_OK) != 0 && errno == ENOENT)
			err_set(e, ERR_CONF,
				"there is no configuration %s; write one, see "
				"dslatd.yaml(5), or name another with -c",
				path);
		buf_addf(problems, "%s\n", e->text);
		buf_fini(&text);
		e->code = ERR_CONF;
		return NULL;
	}
	faults_init(&f, path);
	c = conf_read(buf_str(&text), text.len, &f);
	check_files(c, &f);
	faults_print(&f, problems);
	if (faults_result(&f, e) != 0)
		conf_free(&c);
	faults_fini(&f);
	buf_fini(&text);
	return c;
}
