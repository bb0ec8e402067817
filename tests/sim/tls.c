#include "tls.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dslat/buf.h"
#include "dslat/mem.h"

#define PEM_MAX_BYTES 65536

extern char **environ;

static char *
read_file(const char *path, struct err *e)
{
	FILE *f = fopen(path, "re");
	char chunk[4096];
	struct buf b;
	size_t n;

	if (f == NULL) {
		err_set(e, ERR_IO, "cannot open %s", path);
		return NULL;
	}
	buf_init(&b, PEM_MAX_BYTES);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&b, chunk, n);
	fclose(f);
	return buf_take(&b);
}

static int
run_openssl(char *cert, char *key, struct err *e)
{
	char name[] = "openssl", req[] = "req", x509[] = "-x509",
	     newkey[] = "-newkey", rsa[] = "rsa:2048", nodes[] = "-nodes",
	     days[] = "-days", thirty[] = "30", subj[] = "-subj",
	     cn[] = "/O=dslat-sim/CN=localhost", ext[] = "-addext",
	     san[] = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1",
	     out[] = "-out", keyout[] = "-keyout";
	char *argv[] = { name, req,    x509,   newkey, rsa, nodes,
			 days, thirty, subj,   cn,     ext, san,
			 out,  cert,   keyout, key,    NULL };
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc, status = 1;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDERR_FILENO, "/dev/null", 1, 0);
	rc = posix_spawnp(&pid, name, &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (rc != 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return err_set(e, ERR_TLS,
			       "openssl could not make a certificate");
	return 0;
}

static int
make(char **cert_r, char **key_r, struct err *e)
{
	char dir[] = "/tmp/dslat-sim.XXXXXX";
	char *cert, *key;
	int rc;

	if (mkdtemp(dir) == NULL)
		return err_set(e, ERR_IO, "cannot make a folder in /tmp");
	cert = xasprintf("%s/cert.pem", dir);
	key = xasprintf("%s/key.pem", dir);
	rc = run_openssl(cert, key, e);
	if (rc == 0) {
		*cert_r = read_file(cert, e);
		*key_r = read_file(key, e);
		rc = *cert_r != NULL && *key_r != NULL ? 0 : -1;
	}
	unlink(cert);
	unlink(key);
	rmdir(dir);
	free(cert);
	free(key);
	return rc;
}

int
tls_load(const char *cert_file, const char *key_file, char **cert_r,
	 char **key_r, struct err *e)
{
	if (cert_file == NULL)
		return make(cert_r, key_r, e);
	*cert_r = read_file(cert_file, e);
	*key_r = *cert_r != NULL ? read_file(key_file, e) : NULL;
	return *key_r != NULL ? 0 : -1;
}
