/* GnuTLS's headers first: they use the word "unused", a macro of base.h. */
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "web/tls_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dslat/log.h"
#include "dslat/mem.h"

#define FILE_BYTES ((size_t)1 << 20)
#define CHUNK_BYTES 4096

static int
cannot_read(const char *what, const char *path, int error, struct err *e)
{
	if (error == EACCES || error == EPERM)
		return err_set(e, ERR_CONF,
			       "%s: user %lu may not read %s; let its group "
			       "read it (SupplementaryGroups= of the service), "
			       "or pass it with LoadCredential=",
			       what, (unsigned long)geteuid(), path);
	if (error == ENOENT)
		return err_set(e, ERR_CONF,
			       "%s: %s does not exist; correct the path", what,
			       path);
	return err_set(e, ERR_CONF, "%s: cannot read %s: %s", what, path,
		       strerror(error));
}

static int
read_file(const char *what, const char *path, struct buf *b, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char chunk[CHUNK_BYTES];
	int error = 0;
	ssize_t n;

	if (fd < 0)
		return cannot_read(what, path, errno, e);
	while (error == 0 && !b->full &&
	       (n = read(fd, chunk, sizeof(chunk))) != 0)
		if (n > 0)
			buf_add(b, chunk, (size_t)n);
		else if (errno != EINTR)
			error = errno;
	mem_wipe(chunk, sizeof(chunk));
	close(fd);
	if (error != 0)
		return cannot_read(what, path, error, e);
	if (b->full)
		return err_set(e, ERR_CONF, "%s: %s is larger than 1 MiB", what,
			       path);
	return 0;
}

static void
warn_of_mode(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && (st.st_mode & S_IROTH) != 0)
		log_warn("web",
			 "web.tls_key: everybody on this machine can read %s; "
			 "chmod o= it",
			 path);
}

static gnutls_datum_t
datum(const struct buf *b)
{
	return (gnutls_datum_t){ (unsigned char *)b->data, (unsigned)b->len };
}

static int
fit(const struct tls_pair *p, const char *cert_path, const char *key_path,
    struct err *e)
{
	const gnutls_datum_t cert = datum(&p->cert), key = datum(&p->key);
	gnutls_certificate_credentials_t c;
	int rc;

	if (strstr(buf_str(&p->cert), "-----BEGIN CERTIFICATE-----") == NULL)
		return err_set(e, ERR_CONF,
			       "web.tls_cert: %s holds no certificate in PEM "
			       "form; convert it with openssl x509, or name "
			       "another",
			       cert_path);
	if (strstr(buf_str(&p->key), "PRIVATE KEY-----") == NULL)
		return err_set(e, ERR_CONF,
			       "web.tls_key: %s holds no key in PEM form; "
			       "convert it with openssl pkey, or name another",
			       key_path);
	if (strstr(buf_str(&p->key), "ENCRYPTED") != NULL)
		return err_set(e, ERR_CONF,
			       "web.tls_key: %s is encrypted with a "
			       "passphrase; take it off with openssl pkey",
			       key_path);
	rc = gnutls_certificate_allocate_credentials(&c);
	if (rc == GNUTLS_E_SUCCESS) {
		rc = gnutls_certificate_set_x509_key_mem(c, &cert, &key,
							 GNUTLS_X509_FMT_PEM);
		gnutls_certificate_free_credentials(c);
	}
	if (rc == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
		return err_set(e, ERR_CONF,
			       "web.tls_key: the key in %s is not that of the "
			       "first certificate in %s; put the server's own "
			       "certificate first, and name its key",
			       key_path, cert_path);
	if (rc < 0)
		return err_set(e, ERR_CONF,
			       "web.tls_cert, web.tls_key: %s and %s cannot be "
			       "used: %s",
			       cert_path, key_path, gnutls_strerror(rc));
	return 0;
}

int
tls_pair_read(struct tls_pair *p, const char *cert_path, const char *key_path,
	      struct err *e)
{
	buf_init(&p->cert, FILE_BYTES);
	buf_init(&p->key, FILE_BYTES);
	if (read_file("web.tls_cert", cert_path, &p->cert, e) == 0 &&
	    read_file("web.tls_key", key_path, &p->key, e) == 0 &&
	    fit(p, cert_path, key_path, e) == 0) {
		warn_of_mode(key_path);
		return 0;
	}
	tls_pair_fini(p);
	return -1;
}

void
tls_pair_fini(struct tls_pair *p)
{
	if (p->key.data != NULL)
		mem_wipe(p->key.data, p->key.room);
	buf_fini(&p->key);
	buf_fini(&p->cert);
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(buf_str(a), buf_str(b), a->len) == 0;
}

bool
tls_pair_same(const struct tls_pair *a, const struct tls_pair *b)
{
	return same(&a->cert, &b->cert) && same(&a->key, &b->key);
}

real_t
tls_pair_expires(const struct tls_pair *p)
{
	const gnutls_datum_t cert = datum(&p->cert);
	real_t t = { INT64_MAX };
	gnutls_x509_crt_t c;

	if (gnutls_x509_crt_init(&c) != GNUTLS_E_SUCCESS)
		return t;
	if (gnutls_x509_crt_import(c, &cert, GNUTLS_X509_FMT_PEM) ==
	    GNUTLS_E_SUCCESS)
		t.us = (int64_t)gnutls_x509_crt_get_expiration_time(c) *
			US_PER_S;
	gnutls_x509_crt_deinit(c);
	return t;
}
