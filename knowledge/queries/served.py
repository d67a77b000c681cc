"""What agents were given lately: told by the log, which names the versions of every answer."""

from datetime import datetime, timedelta

from knowledge.models import AuditEvent, Version

RECENTLY = timedelta(hours=24)
MOST_ANSWERS = 50


def recently_served(*, space_id: int, subject_id: int, before: datetime) -> tuple[str, ...]:
    """List the texts agents were given of a subject within the day before an instant.

    Words that come back as an agent's echo are no news of the subject. At most ``MOST_ANSWERS``
    answers are looked at, the last first.

    **Cost**: two queries, by index.
    """
    answers = AuditEvent.objects.filter(
        ledger__space_id=space_id,
        action="statements.retrieve",
        at__gte=before - RECENTLY,
        at__lt=before,
        payload__erased_at__isnull=True,
    ).order_by("-at")[:MOST_ANSWERS]
    served: set[int] = set()
    for body in answers.values_list("payload__body", flat=True):
        served.update(body.get("versions", ()) if body else ())
    versions = Version.objects.filter(pk__in=served, subject_id=subject_id, redacted_at=None)
    return tuple(dict.fromkeys(versions.order_by("pk").values_list("text", flat=True)))
