#include "child.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dslat/buf.h"
#include "dslat/mem.h"

const char *client_program;

void
die(const char *fmt, ...)
{
	va_list ap;

	fputs("bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static void
die_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == 1)
		_exit(1);
}

static void
end(pid_t pid, int sig)
{
	if (pid <= 0)
		return;
	kill(pid, sig);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- the simulated vCenter ---- */

/* Before the rig: a fork() makes every page of the parent fault again. */
void
sim_start(struct sim *s, const char *program, unsigned n_hosts,
	  unsigned n_datastores)
{
	static const char before[] = "dslat-sim: listening on ";
	char *hosts = xasprintf("%u", n_hosts);
	char *datastores = xasprintf("%u", n_datastores);
	char line[256];
	int fds[2];
	FILE *f;

	if (pipe2(fds, O_CLOEXEC) != 0 || (s->pid = fork()) < 0)
		die("no new process: %s", strerror(errno));
	if (s->pid == 0) {
		die_with_parent();
		dup2(fds[1], STDOUT_FILENO);
		execl(program, program, "--clock", "manual", "--start",
		      SIM_START, "--hosts", hosts, "--datastores", datastores,
		      (char *)NULL);
		_exit(1);
	}
	close(fds[1]);
	f = fdopen(fds[0], "r");
	if (f == NULL || fgets(line, sizeof(line), f) == NULL ||
	    strncmp(line, before, sizeof(before) - 1) != 0)
		die("%s does not start", program);
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	s->url = xstrdup(line + sizeof(before) - 1);
	free(hosts);
	free(datastores);
}

void
sim_stop(struct sim *s)
{
	end(s->pid, SIGTERM);
	s->pid = 0;
	free(s->url);
	s->url = NULL;
}

static size_t
collect(char *data, size_t size, size_t n, void *arg)
{
	return buf_add(arg, data, size * n) == 0 ? size * n : 0;
}

char *
sim_control(const struct sim *s, const char *method, const char *path)
{
	char *url = xasprintf("%.*s%s", (int)(strlen(s->url) - strlen("/sdk")),
			      s->url, path);
	CURL *easy = curl_easy_init();
	struct buf answer;
	CURLcode rc;

	buf_init(&answer, 1 << 20);
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
	if (strcmp(method, "POST") == 0)
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer);
	rc = curl_easy_perform(easy);
	if (rc != CURLE_OK)
		die("%s: %s", url, curl_easy_strerror(rc));
	curl_easy_cleanup(easy);
	free(url);
	return buf_take(&answer);
}

int64_t
sim_stat(const struct sim *s, const char *name)
{
	char *text = sim_control(s, "GET", "/sim/stats");
	json_t *stats = json_loads(text, 0, NULL);
	const json_t *v = json_object_get(stats, name);
	int64_t n;

	if (v == NULL)
		v = json_object_get(json_object_get(stats, "calls"), name);
	n = json_integer_value(v); /* never called: 0 */
	json_decref(stats);
	free(text);
	return n;
}

/* ---- clients ---- */

/* "http://127.0.0.1:9969/" */
static int
dial(const char *base)
{
	const char *port = strrchr(base, ':');
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10)),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof(a)) != 0)
		die("%s: %s", base, strerror(errno));
	return fd;
}

static void
tell(void)
{
	if (write(STDOUT_FILENO, "m", 1) != 1)
		_exit(1);
}

/* A mark may lie across two reads. */
static void
read_answer(int fd, const char *text)
{
	static const char good[] = "HTTP/1.1 200 ";
	size_t n_good = 0, at = 0;
	char bytes[65536];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (n_good < sizeof(good) - 1) {
				if (bytes[i] != good[n_good++])
					_exit(1);
				if (n_good == sizeof(good) - 1)
					tell();
			}
			if (bytes[i] != text[at])
				at = 0;
			at += bytes[i] == text[at];
			if (text[at] == '\0') {
				tell();
				at = 0;
			}
		}
	}
	if (n == 0)
		tell();
}

int
client_main(char **args)
{
	char *request = xasprintf(
		"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		"Connection: close\r\n\r\n",
		args[1]);
	int fd;

	die_with_parent();
	fd = dial(args[0]);
	if (write(fd, request, strlen(request)) < 0)
		die("%s: %s", args[0], strerror(errno));
	free(request);
	read_answer(fd, args[2]);
	return 0;
}

void
client_start(struct client *c, const char *base, const char *path,
	     const char *text)
{
	char *args[] = { xstrdup("bench_poll"), xstrdup(CLIENT_OPTION),
			 xstrdup(base),         xstrdup(path),
			 xstrdup(text),         NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], rc;

	*c = (struct client){ 0 };
	if (pipe2(fds, O_CLOEXEC) != 0)
		die("no pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	rc = posix_spawn(&c->pid, client_program, &actions, NULL, args,
			 environ);
	if (rc != 0)
		die("no new process: %s", strerror(rc));
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	c->fd = fds[0];
	fcntl(c->fd, F_SETFL, O_NONBLOCK);
	for (size_t i = 0; args[i] != NULL; i++)
		free(args[i]);
}

size_t
client_read(struct client *c)
{
	char bytes[64];
	ssize_t n;

	while ((n = read(c->fd, bytes, sizeof(bytes))) > 0)
		c->n_marks += (size_t)n;
	c->ended |= n == 0;
	return c->n_marks;
}

void
client_stop(struct client *c)
{
	end(c->pid, SIGKILL);
	close(c->fd);
	*c = (struct client){ 0 };
}
