/*
 * The dslat program itself against a server of canned answers: what it asks,
 * what it prints, how it ends.
 */
/* OpenSSL's headers first: they use the word "unused". */
#include "../shell/certs.h"
#include "../shell/server.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "dslat/base.h"

#define JSON "application/json"

/* ---- answers ------------------------------------------------------------ */

#define STATUS                                                                 \
	"{\"version\":\"0.1.0\",\"uptime_s\":266645,"                          \
	"\"now\":\"2026-11-30T12:00:20Z\",\"targets\":["                       \
	"{\"name\":\"lab\",\"state\":\"ok\",\"api_type\":\"VirtualCenter\","   \
	"\"version\":\"8.0.3\",\"hosts\":8,\"datastores\":40,"                 \
	"\"last_poll\":\"2026-11-30T12:00:08.4Z\",\"poll_ms\":431.2,"          \
	"\"clock_skew_ms\":-20,\"samples\":123456,\"rejected\":0,"             \
	"\"error\":null,\"insecure\":true},"                                   \
	"{\"name\":\"old\",\"state\":\"unreachable\",\"api_type\":null,"       \
	"\"version\":null,\"hosts\":0,\"datastores\":0,\"last_poll\":null,"    \
	"\"poll_ms\":null,\"clock_skew_ms\":null,\"samples\":0,"               \
	"\"rejected\":0,\"error\":\"10.0.0.9:443 refuses\\u001b[2J\","         \
	"\"insecure\":false}],"                                                \
	"\"notifiers\":[{\"name\":\"mail\",\"type\":\"smtp\","                 \
	"\"state\":\"failing\",\"error\":\"refuses the login\","               \
	"\"queued\":3,\"sent\":12,\"failures\":4,\"dropped\":0,"               \
	"\"last_success\":\"2026-11-30T11:59:20Z\"},"                          \
	"{\"name\":\"log\",\"type\":\"syslog\",\"state\":\"idle\","            \
	"\"error\":null,\"queued\":0,\"sent\":0,\"failures\":0,"               \
	"\"dropped\":0,\"last_success\":null}],"                               \
	"\"store\":{\"state\":\"ok\",\"error\":null,\"bytes\":12939428,"       \
	"\"raw_days\":6.96,\"five_minute_days\":42.25,\"hour_days\":42.25,"    \
	"\"aside\":null},"                                                     \
	"\"loop\":{\"turns\":9,\"stalls\":2,\"stall_max_ms\":61.5,"            \
	"\"stall_where\":\"web\"}}\n"

/* target, uuid, name, state, read_ms, read_iops, write_ms, breach */
#define DATASTORE(target, uuid, name, state, rms, riops, wms, breach)          \
	"{\"id\":\"" target ":" uuid "\",\"target\":\"" target                 \
	"\",\"name\":\"" name "\",\"protocol\":\"nfs3\",\"state\":\"" state    \
	"\",\"reason\":null,"                                                  \
	"\"backing\":\"nas1:/vol/" uuid                                        \
	"\",\"cluster\":\"c1\","                                               \
	"\"stale_s\":12,\"threshold_ms\":50,\"critical_ms\":75,"               \
	"\"threshold_origin\":\"default\",\"latest\":{"                        \
	"\"t\":\"2026-11-30T12:00:00Z\",\"read_ms\":" rms                      \
	",\"read_iops\":" riops ",\"read_breach\":\"none\",\"write_ms\":" wms  \
	",\"write_iops\":33,\"write_breach\":\"" breach                        \
	"\","                                                                  \
	"\"read_worst_ms\":" rms                                               \
	",\"read_worst_host\":\"esx1\","                                       \
	"\"write_worst_ms\":" wms                                              \
	",\"write_worst_host\":\"esx2\","                                      \
	"\"hosts_n\":2,\"hosts_expected\":3},\"hosts\":["                      \
	"{\"id\":\"" target ":host-1\",\"name\":\"esx1\",\"read_ms\":" rms     \
	",\"read_iops\":" riops                                                \
	",\"read_breach\":\"none\",\"write_ms\":null,"                         \
	"\"write_iops\":null,\"write_breach\":\"none\","                       \
	"\"read_bytes_per_s\":1048576,\"write_bytes_per_s\":null,"             \
	"\"stale_s\":12,\"mounted\":true,\"accessible\":false,"                \
	"\"reason\":\"APD\"}]}"

#define NFS01 DATASTORE("lab", "u1", "nfs01", "ok", "0.75", "210", "7", "none")
#define NFS02                                                                  \
	DATASTORE("lab", "u2", "nfs02", "critical", "0", "210.5", "83.25",     \
		  "critical")
#define TWIN1 DATASTORE("lab", "u3", "twin", "idle", "0", "0", "null", "none")
#define TWIN2                                                                  \
	DATASTORE("old", "u4", "twin", "no_data", "null", "null", "null",      \
		  "none")
#define EVIL                                                                   \
	DATASTORE("old", "a/b", "x\\u001B]0;pwned\\u0007\\n / \\\"<&%2f",      \
		  "warning", "0.01", "3", "51", "warning")

#define HOSTS                                                                  \
	"{\"items\":[{\"id\":\"lab:host-1\",\"target\":\"lab\","               \
	"\"name\":\"esx1\",\"state\":\"ok\",\"stale_s\":12,\"latest\":{"       \
	"\"read_ms\":1,\"read_iops\":5,\"read_breach\":\"none\","              \
	"\"write_ms\":2,\"write_iops\":5,\"write_breach\":\"none\","           \
	"\"read_worst_ms\":3,\"read_worst_datastore\":\"nfs01\","              \
	"\"write_worst_ms\":2,\"write_worst_datastore\":\"nfs02\","            \
	"\"datastores_n\":40,\"datastores_expected\":40}}],"                   \
	"\"next\":null,\"next_cursor\":null}"

#define COMPARISON                                                             \
	"{\"paired\":true,\"resolution_s\":20,"                                \
	"\"a\":{\"side\":\"family:nfs\",\"name\":\"NFS\","                     \
	"\"from\":\"2026-11-30T11:00:00Z\","                                   \
	"\"to\":\"2026-11-30T12:00:00Z\",\"pairs_n\":8,"                       \
	"\"read\":{\"n\":700,\"mean_ms\":8.25,\"p90_ms\":9.5,"                 \
	"\"p99_ms\":20,\"max_ms\":1240,\"over_s\":40,"                         \
	"\"exceedance\":{\"ms\":[1,2,5],\"share_ratio\":[1,0.5,0]}},"          \
	"\"write\":{\"n\":0,\"mean_ms\":null,\"p90_ms\":null,"                 \
	"\"p99_ms\":null,\"max_ms\":null,\"over_s\":0,"                        \
	"\"exceedance\":{\"ms\":[],\"share_ratio\":[]}}},"                     \
	"\"b\":{\"side\":\"datastore:lab:u2\","                                \
	"\"name\":\"nfs\\u001b02\",\"from\":\"2026-11-30T11:00:00Z\","         \
	"\"to\":\"2026-11-30T12:00:00Z\",\"pairs_n\":2,"                       \
	"\"read\":{\"n\":300,\"mean_ms\":8.27,\"p90_ms\":9.5,"                 \
	"\"p99_ms\":20,\"max_ms\":1240,\"over_s\":0,"                          \
	"\"exceedance\":{\"ms\":[1,2,5],\"share_ratio\":[1,1,0.25]}},"         \
	"\"write\":{\"n\":0,\"mean_ms\":null,\"p90_ms\":null,"                 \
	"\"p99_ms\":null,\"max_ms\":null,\"over_s\":0,"                        \
	"\"exceedance\":{\"ms\":[],\"share_ratio\":[]}}},"                     \
	"\"read\":{\"a_median_ms\":8,\"b_median_ms\":5,"                       \
	"\"a_iops\":210.4,\"b_iops\":100,\"ratio\":1.6,"                       \
	"\"difference_ms\":2.75,"                                              \
	"\"sentence\":\"NFS reads were slower.\","                             \
	"\"warnings\":[\"more load\",\"few\\nhosts\"]},"                       \
	"\"write\":{\"a_median_ms\":null,\"b_median_ms\":null,"                \
	"\"a_iops\":null,\"b_iops\":null,\"ratio\":null,"                      \
	"\"difference_ms\":null,\"sentence\":\"no difference shown\","         \
	"\"warnings\":[]}}\n"

static const struct answer {
	const char *path, *status, *type, *body;
} answers[] = {
	{ "/api/v1/status", "200 OK", JSON, STATUS },
	{ "/api/v1/datastores", "200 OK", "application/json; charset=utf-8",
	  "{\"items\":[" NFS01 "," NFS02 "],\"next\":\"?cursor=a%2Bb\","
	  "\"next_cursor\":\"a+b\"}" },
	{ "/api/v1/datastores?cursor=a%2Bb", "200 OK", JSON,
	  "{\"items\":[" TWIN1 "," TWIN2 "," EVIL "],\"next\":null,"
	  "\"next_cursor\":null}" },
	{ "/api/v1/datastores?target=lab&protocol=nfs&state=critical%2Cwarning",
	  "200 OK", JSON,
	  "{\"items\":[" NFS02 "],\"next\":null,\"next_cursor\":null}" },
	{ "/api/v1/datastores?state=none", "200 OK", JSON,
	  "{\"items\":[],\"next\":null,\"next_cursor\":null}" },
	{ "/api/v1/datastores/lab%3Au1", "200 OK", JSON, NFS01 "\n" },
	{ "/api/v1/datastores/old%3Aa%2Fb", "200 OK", JSON, EVIL "\n" },
	{ "/api/v1/hosts?target=lab", "200 OK", JSON, HOSTS },
	{ "/api/v1/hosts", "200 OK", JSON, HOSTS },
	{ "/api/v1/series?datastore=lab%3Au1&metric=read_ms%2Cwrite_ms"
	  "%2Cread_iops%2Cwrite_iops&points=60",
	  "200 OK", JSON,
	  "{\"resolution_s\":20,\"from\":\"2026-11-30T11:59:00Z\","
	  "\"to\":\"2026-11-30T12:00:00Z\","
	  "\"t\":[1796039960000,1796039980000,1796040000000],\"series\":["
	  "{\"metric\":\"read_ms\",\"values\":[0,0.5,null],"
	  "\"max\":[0,3,null]},"
	  "{\"metric\":\"write_ms\",\"values\":[0,83.25,7],"
	  "\"max\":[0,1240,7]},"
	  "{\"metric\":\"read_iops\",\"values\":[0,20,null],"
	  "\"max\":[0,20,null]},"
	  "{\"metric\":\"write_iops\",\"values\":[12,20,20],"
	  "\"max\":[12,20,20]}]}" },
	{ "/api/v1/series?datastore=lab%3Au1&host=lab%3Ahost-1"
	  "&metric=write_bytes_per_s&from=-1h&to=2026-11-30T12%3A00%3A00"
	  "%2B01%3A00&points=2",
	  "200 OK", JSON,
	  "{\"resolution_s\":1800,\"from\":\"2026-11-30T10:00:00Z\","
	  "\"to\":\"2026-11-30T11:00:00Z\","
	  "\"t\":[1796034600000,1796036400000],\"series\":["
	  "{\"metric\":\"write_bytes_per_s\",\"values\":[1048576,null],"
	  "\"max\":[3145728,null]}]}" },
	{ "/api/v1/series?datastore=lab%3Au1&metric=read_mss&points=60",
	  "422 Unprocessable Content", "application/problem+json",
	  "{\"type\":\"urn:dslat:problem:unprocessable\",\"status\":422,"
	  "\"title\":\"Impossible request\",\"detail\":"
	  "\"there is no metric \\\"read_mss\\\"; the metrics are\\nread_ms\"}" },
	{ "/api/v1/compare?a=family%3Anfs&b=datastore%3Alab%3Au2&from=-2h"
	  "&b_to=-1h",
	  "200 OK", JSON, COMPARISON },
	{ "/api/v1/compare?a=protocol%3Anfs41%2Chost%3Alab%3Ahost-1"
	  "&b=cluster%3Ac1%2Cfamily%3Afc",
	  "200 OK", JSON, COMPARISON },
	{ "/api/v1/compare?a=family%3Afc&b=family%3Asmb", "400 Bad Request",
	  "application/problem+json",
	  "{\"type\":\"urn:dslat:problem:bad-parameter\",\"status\":400,"
	  "\"title\":\"Malformed parameter\",\"detail\":"
	  "\"\\\"smb\\\" is no family\"}" },
	{ "/api/v1/peaks?from=-30m&limit=2", "200 OK", JSON,
	  "{\"from\":\"2026-11-30T11:30:00Z\",\"to\":\"2026-11-30T12:00:00Z\","
	  "\"items\":[{\"datastore\":\"lab:u2\",\"datastore_name\":\"nfs02\","
	  "\"protocol\":\"nfs3\",\"host\":\"lab:host-1\","
	  "\"host_name\":\"esx1\",\"op\":\"write\","
	  "\"t\":\"2026-11-30T11:41:40Z\",\"ms\":1240,\"ios\":4210,"
	  "\"iops\":210.5,\"sparse\":false,\"breach\":\"critical\","
	  "\"threshold_ms\":50},"
	  "{\"datastore\":\"lab:u1\",\"datastore_name\":null,"
	  "\"protocol\":\"nfs3\",\"host\":\"lab:host-1\","
	  "\"host_name\":\"esx1\",\"op\":\"read\","
	  "\"t\":\"2026-11-30T11:42:00Z\",\"ms\":700,\"ios\":0,"
	  "\"iops\":0,\"sparse\":true,\"breach\":\"none\","
	  "\"threshold_ms\":50}]}" },
	{ "/api/v1/peaks", "200 OK", JSON,
	  "{\"from\":\"2026-11-30T11:00:00Z\",\"to\":\"2026-11-30T12:00:00Z\","
	  "\"items\":[]}" },
	{ "/dslat/api/v1/status", "200 OK", JSON, STATUS },
	{ "/html/api/v1/status", "200 OK", "text/html", "<html>router</html>" },
	{ "/busy/api/v1/status", "503 Service Unavailable", "text/html", "x" },
	{ "/broken/api/v1/status", "200 OK", JSON, "{\"version\":" },
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char asked[10000]; /* paths, one a line; under the lock */

/* What was asked so far.  The program that asked is gone, but only the lock
 * orders what a thread of the server wrote before what the test reads. */
static const char *
asked_paths(void)
{
	static char copy[sizeof(asked)];

	pthread_mutex_lock(&lock);
	memcpy(copy, asked, sizeof(copy));
	pthread_mutex_unlock(&lock);
	return copy;
}

static bool
serve(struct conn *c, const char *head, const char *body unused,
      size_t n unused, void *arg unused)
{
	const char *path = strchr(head, ' ') + 1;
	size_t len = strcspn(path, " ");

	pthread_mutex_lock(&lock);
	snprintf(asked + strlen(asked), sizeof(asked) - strlen(asked), "%.*s\n",
		 (int)len, path);
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		if (strlen(answers[i].path) == len &&
		    strncmp(answers[i].path, path, len) == 0)
			return conn_answer(c, answers[i].status,
					   answers[i].type, answers[i].body);
	return conn_answer(c, "404 Not Found", "application/problem+json",
			   "{\"title\":\"No such path\"}");
}

/* ---- running the program ------------------------------------------------ */

struct fixture {
	struct server *s;
	char url[64], program[300];
	char out[40000], err[10000];
	int status; /* of its exit; 1000 + signal */
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct server_options so = { .family = AF_INET, .fn = serve };
	const char *dir = getenv("top_builddir");

	assert_non_null(f);
	pthread_mutex_lock(&lock);
	asked[0] = '\0';
	pthread_mutex_unlock(&lock);
	f->s = server_start(&so);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d",
		 server_port(f->s));
	snprintf(f->program, sizeof(f->program), "%s/dslat",
		 dir != NULL ? dir : ".");
	setenv("DSLAT_URL", f->url, 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	unsetenv("COLUMNS");
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	server_stop(&f->s);
	free(f);
	return 0;
}

static void
read_all(int fd, char *out, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && (n = read(fd, out + len, size - 1 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	close(fd);
}

static void
wait_for(struct fixture *f, pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	f->status = WIFEXITED(status) ? WEXITSTATUS(status)
				      : 1000 + WTERMSIG(status);
}

#define MAX_ARGS 16

/* The arguments are separated by spaces; '~' stands for a space in one. */
static void
exec_dslat(const struct fixture *f, const char *args)
{
	char *argv[MAX_ARGS + 2] = { strdup(f->program) }, *save = NULL;
	char *copy = strdup(args);
	int n = 1;

	for (char *p = strtok_r(copy, " ", &save); p != NULL && n <= MAX_ARGS;
	     p = strtok_r(NULL, " ", &save)) {
		argv[n++] = p;
		for (; *p != '\0'; p++)
			if (*p == '~')
				*p = ' ';
	}
	signal(SIGPIPE, SIG_DFL);
	execv(f->program, argv);
	_exit(127);
}

static void
run(struct fixture *f, const char *args)
{
	int out[2], err[2];
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		exec_dslat(f, args);
	}
	close(out[1]);
	close(err[1]);
	/* each is smaller than a pipe holds */
	read_all(out[0], f->out, sizeof(f->out));
	read_all(err[0], f->err, sizeof(f->err));
	wait_for(f, pid);
}

/* The same with a terminal of so many columns as its output. */
static void
run_on_terminal(struct fixture *f, const char *args, unsigned short columns)
{
	struct winsize w = { .ws_row = 25, .ws_col = columns };
	int fd;
	pid_t pid = forkpty(&fd, NULL, NULL, &w);

	assert_true(pid >= 0);
	if (pid == 0)
		exec_dslat(f, args);
	read_all(fd, f->out, sizeof(f->out));
	wait_for(f, pid);
}

static void
assert_out(const struct fixture *f, const char *want)
{
	assert_string_equal(f->err, "");
	assert_string_equal(f->out, want);
	assert_int_equal(f->status, 0);
}

static void
assert_failed(const struct fixture *f, int status, const char *err)
{
	assert_int_equal(f->status, status);
	assert_string_equal(f->out, "");
	if (strstr(f->err, err) == NULL)
		fail_msg("no \"%s\" in \"%s\"", err, f->err);
	assert_memory_equal(f->err, "dslat: ", 7);
}

/* ---- cases -------------------------------------------------------------- */

static void
test_status(void **state)
{
	struct fixture *f = *state;
	char want[2000];

	run(f, "status");
	/* 266645 s = 3 d + 7445 s; the poll was 12 s before "now" */
	snprintf(want, sizeof(want),
		 "dslatd 0.1.0 at %s, up 3 d 02:04:05\n"
		 "TARGET  STATE        SERVER               HOSTS  DATASTORES  "
		 "POLLED s AGO  POLL ms  CLOCK ms  VALUES  REJECTED\n"
		 "lab     ok           VirtualCenter 8.0.3      8          40  "
		 "          12      431       -20  123456         0\n"
		 "old     unreachable  -                        0           0  "
		 "           -        -         -       0         0\n"
		 "lab: its certificate is not verified (tls: insecure)\n"
		 "old: 10.0.0.9:443 refuses\\x1b[2J\n"
		 "\n"
		 "NOTIFIER  TYPE    STATE    QUEUED  SENT  FAILURES  TOLD s "
		 "AGO\n"
		 "mail      smtp    failing       3    12         4         "
		 " 60\n"
		 "log       syslog  idle          0     0         0         "
		 "  -\n"
		 "mail: refuses the login\n"
		 /* 12939428 bytes are 12.34 MiB */
		 "history: 12.3 MiB; 7.0 days of samples, 42.2 of 5 minutes, "
		 "42.2 of hours\n"
		 "the loop was held up 2 times, 62 ms at most (web)\n",
		 f->url);
	assert_out(f, want);
	assert_string_equal(asked_paths(), "/api/v1/status\n");
}

static void
test_json(void **state)
{
	struct fixture *f = *state;

	run(f, "--json status"); /* to the byte */
	assert_out(f, STATUS);
	run(f, "datastores -j"); /* both pages */
	assert_out(f,
		   "{\"items\":[" NFS01 "," NFS02 "," TWIN1 "," TWIN2 "," EVIL
		   "],\"next\":null,\"next_cursor\":null}\n");
	run(f, "datastores --json nfs01");
	assert_out(f, NFS01 "\n");
}

static void
test_datastores(void **state)
{
	struct fixture *f = *state;

	run(f, "datastores");
	assert_out(
		f,
		"TARGET  DATASTORE                       PROTOCOL  STATE     READ"
		" ms  WRITE ms  LIMIT ms  WORST READ ms  WORST WRITE ms  WORST HOST  READS/s  WRITES/s  AGE s  HOSTS\n"
		"lab     nfs01                           nfs3      ok            "
		"0.8       7.0        50            0.8             7.0  esx2            210        33     12    2/3\n"
		"lab     nfs02                           nfs3      critical      "
		" <1      83.2        50             <1            83.2  esx2            210        33     12    2/3\n"
		"lab     twin                            nfs3      idle         i"
		"dle         -        50           idle               -  esx1              0        33     12    2/3\n"
		"old     twin                            nfs3      no_data       "
		"  -         -        50              -               -  esx1              -        33     12    2/3\n"
		"old     x\\x1b]0;pwned\\x07\\x0a / \"<&%2f  nfs3      warning   "
		"   <0.1      51.0        50           <0.1            51.0  esx2              3        33     12    2/3\n");
	assert_string_equal(asked_paths(),
			    "/api/v1/datastores\n"
			    "/api/v1/datastores?cursor=a%2Bb\n");
	run(f,
	    "datastores --target lab --protocol nfs --state "
	    "critical,warning");
	assert_memory_equal(f->out, "DATASTORE  PROTOCOL  STATE", 26);
	run(f, "datastores --state none");
	assert_out(f, "no datastores\n");
}

static void
test_datastore(void **state)
{
	struct fixture *f = *state;

	run(f, "datastores lab/nfs01");
	assert_out(f,
		   "lab/nfs01: ok\n"
		   "ID          lab:u1\n"
		   "protocol    nfs3\n"
		   "backing     nas1:/vol/u1\n"
		   "cluster     c1\n"
		   "threshold   warning 50 ms, critical 75 ms (default)\n"
		   "\n"
		   "HOST  READ ms  WRITE ms  READS/s  WRITES/s  READ MiB/s  "
		   "WRITE MiB/s  AGE s\n"
		   "esx1      0.8         -      210         -         1.0  "
		   "          -     12  APD\n");
}

static void
test_hosts(void **state)
{
	struct fixture *f = *state;

	run(f, "hosts");
	assert_out(
		f,
		"HOST  STATE  READ ms  WRITE ms  WORST READ ms  WORST WRITE ms  "
		"WORST DATASTORE  READS/s  WRITES/s  AGE s  DATASTORES\n"
		"esx1  ok         1.0       2.0            3.0             2.0  "
		"nfs01                  5         5     12       40/40\n");
}

/* IDs, target/name, unique names; the rest is an error with candidates. */
static void
test_names(void **state)
{
	struct fixture *f = *state;

	run(f, "datastores lab:u1");
	assert_memory_equal(f->out, "lab/nfs01: ok\n", 14);
	run(f, "datastores nfs01");
	assert_memory_equal(f->out, "lab/nfs01: ok\n", 14);
	run(f, "datastores old:a/b");
	assert_memory_equal(f->out, "old/x\\x1b]0;pwned\\x07\\x0a /", 26);
	assert_int_equal(f->status, 0);

	run(f, "datastores twin");
	assert_failed(f, 1,
		      "\"twin\" is the name of 2 datastores; say which by"
		      " its ID:\n  lab/twin  (ID lab:u3)\n"
		      "  old/twin  (ID old:u4)\n");
	run(f, "datastores NFS0");
	assert_failed(f, 1,
		      "there is no datastore \"NFS0\"; similar names:\n"
		      "  lab/nfs01  (ID lab:u1)\n"
		      "  lab/nfs02  (ID lab:u2)\n");
	run(f, "datastores \x1b[31mgone");
	assert_failed(f, 1,
		      "there is no datastore \"\\x1b[31mgone\"; \"dslat"
		      " datastores\" lists all\n");
	run(f, "series nfs01 --host esx9");
	assert_failed(f, 1, "there is no host \"esx9\"");
}

static void
test_series(void **state)
{
	struct fixture *f = *state;

	run(f, "series nfs01");
	assert_out(
		f,
		"lab/nfs01 (nfs3), threshold 50 ms, one value per 20 s, "
		"2026-11-30T11:59:00Z to 2026-11-30T12:00:00Z\n"
		"UNTIL (UTC)           READ ms  MAX READ ms  WRITE ms  "
		"MAX WRITE ms\n"
		"2026-11-30T11:59:20Z     idle         idle        <1  "
		"          <1\n"
		"2026-11-30T11:59:40Z      0.5          3.0      83.2  "
		"      1240.0\n"
		"2026-11-30T12:00:00Z        -            -       7.0  "
		"         7.0\n"
		"READ ms      \xe2\x96\x81\xe2\x96\x88  max 3.0 until"
		" 2026-11-30T11:59:40Z\n"
		"WRITE ms     \xe2\x96\x81\xe2\x96\x88\xe2\x96\x81 max 1240.0 until"
		" 2026-11-30T11:59:40Z\n");
	run(f,
	    "series --spark nfs01 --host esx1 --metric write_bytes_per_s"
	    " --from -1h --to 2026-11-30T12:00:00+01:00 --points 2");
	assert_out(
		f,
		"lab/nfs01 (nfs3), threshold 50 ms, one value per 1800 s, "
		"2026-11-30T10:00:00Z to 2026-11-30T11:00:00Z\n"
		"WRITE MiB/s  \xe2\x96\x88  max 3.0 until 2026-11-30T10:30:00Z\n");
	run(f, "series nfs01 --metric read_mss");
	assert_failed(f, 2,
		      "dslat: there is no metric \"read_mss\"; the"
		      " metrics are read_ms\n");
}

static void
test_peaks(void **state)
{
	struct fixture *f = *state;

	run(f, "peaks --from -30m --limit 2");
	assert_out(
		f,
		"TIME (UTC)                ms  OP     I/Os  LIMIT ms  BREACH    "
		"DATASTORE   PROTOCOL  HOST\n"
		"2026-11-30T11:41:40Z  1240.0  write  4210        50  critical  "
		"lab/nfs02   nfs3      esx1\n"
		"2026-11-30T11:42:00Z   700.0  read   1-19        50  none      "
		"lab/lab:u1  nfs3      esx1\n");
	run(f, "peaks");
	assert_out(f,
		   "no sample with I/O from 2026-11-30T11:00:00Z to"
		   " 2026-11-30T12:00:00Z\n");
}

static void
test_compare(void **state)
{
	struct fixture *f = *state;

	run(f, "compare nfs nfs02 --from -2h --b-to -1h");
	assert_out(
		f,
		"NFS: 2026-11-30T11:00:00Z to 2026-11-30T12:00:00Z, 8 (host, datastore) pairs\n"
		"nfs\\x1b02: 2026-11-30T11:00:00Z to 2026-11-30T12:00:00Z, 2 (host, datastore) pairs\n"
		"OP                              NFS  nfs\\x1b02  DIFFERENCE  RATIO\n"
		"read   median ms, compared      8.0        5.0        +2.8   1.60\n"
		"read   I/Os per s, compared     210        100        +110   2.10\n"
		"read   mean ms, by I/Os         8.2        8.3         0.0   1.00\n"
		"read   90 % below ms            9.5        9.5         0.0   1.00\n"
		"read   99 % below ms           20.0       20.0         0.0   1.00\n"
		"read   largest ms            1240.0     1240.0         0.0   1.00\n"
		"read   s over threshold          40          0         +40      -\n"
		"read   1 ms ... 1 s or more     \xe2\x96\x88\xe2\x96\x85\xe2\x96\x81        \xe2\x96\x88\xe2\x96\x88\xe2\x96\x83\n"
		"write  median ms, compared        -          -           -      -\n"
		"write  I/Os per s, compared       -          -           -      -\n"
		"write  mean ms, by I/Os           -          -           -      -\n"
		"write  90 % below ms              -          -           -      -\n"
		"write  99 % below ms              -          -           -      -\n"
		"write  largest ms                 -          -           -      -\n"
		"write  s over threshold           0          0           0      -\n"
		"write  1 ms ... 1 s or more       -          -           -      -\n"
		"note (reads): more load\n"
		"note (reads): few\\x0ahosts\n"
		"NFS reads were slower.\n"
		"no difference shown\n");
	run(f, "compare --json nfs41,host:esx1 cluster:c1,family:fc");
	assert_out(f, COMPARISON);
	run(f, "compare twin nfs");
	assert_failed(f, 1, "\"twin\" is the name of 2 datastores");
	run(f, "compare nfs host:esx9");
	assert_failed(f, 1, "there is no host \"esx9\"");
	run(f, "compare nfs host:esx");
	assert_failed(f, 1, "there is no host \"esx\"; similar names");
	run(f, "compare fc family:smb");
	assert_failed(f, 2, "\"smb\" is no family");
}

static size_t
characters(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += (s[i] & 0xc0) != 0x80;
	return n;
}

/* On a terminal: colours beside words, and lines that fit. */
static void
test_terminal(void **state)
{
	struct fixture *f = *state;
	const char *line;
	size_t len;

	run_on_terminal(f,
			"datastores --target lab --protocol nfs --state "
			"critical,warning",
			100);
	assert_int_equal(f->status, 0);
	assert_non_null(strstr(f->out, "\x1b[1;31mcritical\x1b[0m"));
	assert_non_null(strstr(f->out, "\x1b[1;31m83.2\x1b[0m"));
	setenv("NO_COLOR", "1", 1);
	run_on_terminal(f, "datastores", 72);
	assert_null(strchr(f->out, 0x1b));
	assert_non_null(strstr(f->out, " more columns in a wider terminal"));
	for (line = f->out; *line != '\0';
	     line += len + strspn(line + len, "\r\n")) {
		len = strcspn(line, "\r\n");
		assert_true(characters(line, len) <= 72);
	}
	/* a terminal without UTF-8 */
	setenv("LC_ALL", "C", 1);
	run_on_terminal(f, "series nfs01 --spark", 72);
	assert_non_null(strstr(f->out, "READ ms      _#  max"));
}

static void
test_usage(void **state)
{
	static const struct {
		const char *args, *err;
	} rows[] = {
		{ "", "a command is missing; dslat --help lists all" },
		{ "statsu", "there is no command \"statsu\"" },
		{ "status --nope", "there is no option --nope" },
		{ "status -x", "there is no option -x" },
		{ "status --limit 3", "status has no option --limit" },
		{ "status now", "status: one argument too many: \"now\"" },
		{ "status --json=1", "option --json takes no value" },
		{ "peaks --limit", "option --limit needs a value" },
		{ "status -u", "option -u needs a value" },
		{ "status --url ftp://x", "only https:// and http://" },
		{ "status --url 127.0.0.1:9969", "must begin with https://" },
		{ "series", "series of which datastore?" },
		{ "compare nfs", "compare which two sides?" },
		{ "compare nfs fc nfs", "compare: one argument too many" },
		{ "peaks --a-from -1h", "peaks has no option --a-from" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].args);
		run(f, rows[i].args);
		assert_failed(f, 2, rows[i].err);
	}
	assert_string_equal(asked_paths(), "");
}

static void
test_help(void **state)
{
	static const char *const commands[] = { "status", "datastores",
						"hosts",  "series",
						"peaks",  "compare" };
	struct fixture *f = *state;
	char args[64];

	run(f, "--help");
	assert_int_equal(f->status, 0);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(args, sizeof(args), "\n  %s ", commands[i]);
		assert_non_null(strstr(f->out, args));
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(args, sizeof(args), "%s --help", commands[i]);
		run(f, args);
		assert_int_equal(f->status, 0);
		assert_string_equal(f->err, "");
		snprintf(args, sizeof(args), "usage: dslat %s [OPTION]...",
			 commands[i]);
		assert_memory_equal(f->out, args, strlen(args));
	}
	run(f, "--version");
	assert_int_equal(f->status, 0);
	assert_memory_equal(f->out, "dslat ", 6);
	assert_string_equal(asked_paths(), "");
}

/* Other servers, none, or one behind a path. */
static void
test_servers(void **state)
{
	struct fixture *f = *state;
	char args[200];

	snprintf(args, sizeof(args), "status --json --url %s/dslat/", f->url);
	setenv("DSLAT_URL", "http://127.0.0.1:1", 1);
	run(f, args);
	assert_out(f, STATUS);
	run(f, "status");
	assert_failed(f, 1, "127.0.0.1:1 refuses the connection");
	assert_string_equal(f->err,
			    "dslat: no answer from dslatd: 127.0.0.1:1 refuses"
			    " the connection: is the service running, and is"
			    " the port right? (--url or DSLAT_URL name another"
			    " address)\n");
	snprintf(args, sizeof(args), "status --url %s/html", f->url);
	run(f, args);
	assert_failed(f, 1,
		      "/html is no dslatd, or a proxy is between: it"
		      " answers with HTTP status 200 (text/html)");
	snprintf(args, sizeof(args), "status --url %s/busy", f->url);
	run(f, args);
	assert_failed(f, 1, "HTTP status 503 (text/html)");
	snprintf(args, sizeof(args), "status --url %s/broken", f->url);
	run(f, args);
	assert_failed(f, 1, "is not JSON");
	snprintf(args, sizeof(args), "status --url %s/none", f->url);
	run(f, args);
	assert_failed(f, 1, "dslat: No such path\n");
	run(f, "status -u unix:/nonexistent/http.sock");
	assert_failed(f, 1, "nothing listens at /nonexistent/http.sock");
}

/* https with a certificate of its own. */
static void
test_tls(void **state)
{
	struct fixture *f = *state;
	struct cert cert = cert_make(NULL, "dslat", NULL, -1, 5);
	struct server_options so = { .family = AF_INET, .fn = serve };
	char url[64], args[300], hex[65];

	server_stop(&f->s);
	so.ssl_ctx = cert_ssl_ctx(&cert, 0);
	f->s = server_start(&so);
	cert_fingerprint(&cert, hex);
	snprintf(url, sizeof(url), "https://127.0.0.1:%d", server_port(f->s));
	setenv("DSLAT_URL", url, 1);
	run(f, "status");
	assert_failed(f, 1, "it is self-signed");
	assert_non_null(strstr(f->err, "(on this command line: --fingerprint"));
	run(f, "status --fingerprint 12");
	assert_failed(f, 2, "is not a SHA-256 fingerprint");
	assert_string_equal(asked_paths(), "");
	run(f, "status --json --insecure");
	assert_out(f, STATUS);
	snprintf(args, sizeof(args), "status --json --fingerprint %s", hex);
	run(f, args);
	assert_out(f, STATUS);
	server_stop(&f->s);
	SSL_CTX_free(so.ssl_ctx);
	cert_fini(&cert);
}

/* Output that cannot be written is a failure; a closed pipe a quiet one. */
static void
test_output(void **state)
{
	struct fixture *f = *state;
	int out[2], err[2];
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	close(out[0]);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		exec_dslat(f, "status");
	}
	close(out[1]);
	close(err[1]);
	read_all(err[0], f->err, sizeof(f->err));
	wait_for(f, pid);
	assert_int_equal(f->status, 1);
	assert_string_equal(f->err, "");

	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		exec_dslat(f, "status");
	}
	close(err[1]);
	read_all(err[0], f->err, sizeof(f->err));
	wait_for(f, pid);
	f->out[0] = '\0';
	assert_failed(f, 1, "cannot write: No space left");
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_status),    CASE(test_json),  CASE(test_datastores),
		CASE(test_datastore), CASE(test_hosts), CASE(test_names),
		CASE(test_series),    CASE(test_peaks), CASE(test_compare),
		CASE(test_terminal),  CASE(test_usage), CASE(test_help),
		CASE(test_servers),   CASE(test_tls),   CASE(test_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
