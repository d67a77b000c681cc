"""What agents were given lately: told by the log, which names the versions of every answer."""

from datetime import datetime, timedelta

from django.db.models import Q

from knowledge.models import AuditEvent, Version

# Whatever the hour, the whole of yesterday is within two days.
RECENTLY = timedelta(days=2)
# Agents' clocks and ours differ a little.
CLOCKS_DIFFER = timedelta(minutes=5)
MOST_ANSWERS = 200


def recently_served(
    *, space_id: int, subject_id: int, since: datetime, until: datetime
) -> tuple[str, ...]:
    """List the texts agents were given of a subject shortly before, or while, words were said.

    Words that come back as an agent's echo are no news of the subject. Of the answers to keys
    of this subject, or of several, at most ``MOST_ANSWERS`` are looked at, the last first.

    **Shape**: ``since`` and ``until`` are when the first and the last of the words were said.
    **Cost**: two queries, by index.
    """
    answers = AuditEvent.objects.filter(
        Q(subject_id=subject_id) | Q(subject_id=None),
        ledger__space_id=space_id,
        action="statements.retrieve",
        at__gte=since - RECENTLY,
        at__lt=until + CLOCKS_DIFFER,
        payload__erased_at__isnull=True,
    ).order_by("-at")[:MOST_ANSWERS]
    served: set[int] = set()
    for body in answers.values_list("payload__body", flat=True):
        served.update(body.get("versions", ()) if body else ())
    versions = Version.objects.filter(pk__in=served, subject_id=subject_id, redacted_at=None)
    return tuple(dict.fromkeys(versions.order_by("pk").values_list("text", flat=True)))
