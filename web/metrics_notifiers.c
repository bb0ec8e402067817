/*
 * dslat_notifier_*: are people told?  One line per notifier.
 */
#include "dslat/notifiers.h"
#include "web/metrics.h"

static size_t
count_of(const struct metrics_scope *s)
{
	const struct notifiers *all = s->web->notifiers;

	return all != NULL ? notifiers_count(all) : 0;
}

static struct notifier_status
begin(const struct metrics_scope *s, size_t i)
{
	struct notifier_status n = notifiers_status(s->web->notifiers, i);

	expo_begin(s->out, "");
	expo_label(s->out, "name", n.name);
	expo_label(s->out, "type", n.type);
	return n;
}

#define NOTIFIER_COUNT(function, value)                                        \
	void function(const struct metrics_scope *s)                           \
	{                                                                      \
		for (size_t i = 0; i < count_of(s); i++) {                     \
			struct notifier_status n = begin(s, i);                \
                                                                               \
			expo_count(s->out, (value));                           \
		}                                                              \
	}
NOTIFIER_COUNT(metrics_add_notifier_up, n.state != NOTIFIER_FAILING)
NOTIFIER_COUNT(metrics_add_notifier_queued, n.queued)
NOTIFIER_COUNT(metrics_add_notifier_sent, n.sent)
NOTIFIER_COUNT(metrics_add_notifier_failures, n.failures)
NOTIFIER_COUNT(metrics_add_notifier_dropped, n.dropped)

void
metrics_add_notifier_success(const struct metrics_scope *s)
{
	for (size_t i = 0; i < count_of(s); i++) {
		struct notifier_status n;

		n = notifiers_status(s->web->notifiers, i);
		if (n.last_success.us == 0)
			continue; /* never */
		begin(s, i);
		expo_seconds(s->out, n.last_success.us);
	}
}
