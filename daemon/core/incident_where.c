/*
 * Where to look: one host, some or all of them; in the host or beyond it.
 */
#include <stdlib.h>

#include "dslat/buf.h"
#include "dslat/mem.h"
#include "incident_private.h"

#define NAMES_SHOWN 5
#define MAX_SENTENCE_BYTES 8192

struct counts {
	size_t slow, fine, io, all;
};

static struct counts
count(const struct where_host *hosts, size_t n)
{
	struct counts c = { .all = n };

	for (size_t i = 0; i < n; i++) {
		c.slow += hosts[i].is_slow;
		c.fine += hosts[i].is_fine && !hosts[i].is_slow;
		c.io += hosts[i].has_io || hosts[i].is_slow;
	}
	return c;
}

static const struct where_host *
first_slow(const struct where_host *hosts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hosts[i].is_slow)
			return &hosts[i];
	return NULL;
}

static void
add_names(struct buf *b, const struct where_host *hosts, size_t n, size_t slow)
{
	size_t shown = 0;

	for (size_t i = 0; i < n && shown < NAMES_SHOWN; i++) {
		if (!hosts[i].is_slow)
			continue;
		if (shown > 0)
			buf_adds(b, shown + 1 == slow ? " and " : ", ");
		buf_adds(b, hosts[i].name);
		shown++;
	}
	if (slow > shown)
		buf_addf(b, " and %zu more", slow - shown);
}

/* Is it mostly the time of the host's own kernel?  Then the path, the array and
 * its network are not to blame, whatever the hosts have in common. */
static bool
is_of_kernel(const struct where_host *h)
{
	return h->device_us >= 0 && h->kernel_us > h->device_us;
}

static void
add_hosts(struct buf *b, const struct where_host *hosts, struct counts c)
{
	const struct where_host *first = first_slow(hosts, c.all);
	bool blames = !is_of_kernel(first);
	size_t judged = c.slow + c.fine;

	if (c.slow == 1 && c.fine == 0) {
		buf_addf(b, "%s is the only host with %s", first->name,
			 c.io == 1 ? "I/O" : "enough I/O to tell");
	} else if (c.slow == 1 && c.fine == 1) {
		buf_addf(b, "only %s, the other host with I/O is fine%s",
			 first->name, blames ? ": its path" : "");
	} else if (c.slow == 1) {
		buf_addf(b, "only %s, the other %zu hosts with I/O are fine%s",
			 first->name, c.fine, blames ? ": its path" : "");
	} else if (c.fine == 0) {
		buf_addf(b, "all %zu hosts%s%s", c.slow,
			 c.slow < c.all ? " with I/O" : "",
			 blames ? ": the array or its network" : "");
	} else {
		buf_addf(b, "%zu of %zu hosts with I/O (", c.slow, judged);
		add_names(b, hosts, c.all, c.slow);
		buf_addf(b, ")%s", blames ? ": what these have in common" : "");
	}
}

/* Of block storage: whose time it is.  It was looked at on one host only, which
 * is named where there are more. */
static void
add_depth(struct buf *b, const struct where_host *h, bool is_one)
{
	const char *on = is_one ? "" : " on ", *name = is_one ? "" : h->name;
	char *device, *kernel, *queue;

	if (h->device_us < 0 || h->kernel_us < 0 ||
	    h->device_us + h->kernel_us == 0)
		return;
	device = incident_text_ms(h->device_us);
	kernel = incident_text_ms(h->kernel_us);
	queue = incident_text_ms(MAX(h->queue_us, 0));
	if (!is_of_kernel(h))
		buf_addf(b, "; device %s ms, kernel %s ms: beyond the host",
			 device, kernel);
	else if (h->queue_us * 2 >= h->kernel_us)
		buf_addf(b,
			 "; kernel %s ms (queue %s ms), device %s ms%s%s: the "
			 "host's own queue",
			 kernel, queue, device, on, name);
	else
		buf_addf(b, "; kernel %s ms, device %s ms%s%s: the host itself",
			 kernel, device, on, name);
	free(device);
	free(kernel);
	free(queue);
}

char *
incident_where(const struct where_host *hosts, size_t n)
{
	struct counts c = count(hosts, n);
	struct buf b;

	if (c.slow == 0)
		return NULL;
	buf_init(&b, MAX_SENTENCE_BYTES);
	add_hosts(&b, hosts, c);
	add_depth(&b, first_slow(hosts, n), c.slow == 1);
	return buf_take(&b);
}
