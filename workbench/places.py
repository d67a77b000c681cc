"""Where the workbench and its libraries may hold words of what is erased."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Concat
from django.utils import timezone
from django_q.models import Task

from extraction.uploads import erasing as uploads
from knowledge.erasing.places import Place, register
from knowledge.erasing.repeats import Sought
from knowledge.erasing.scope import Reach
from knowledge.models import Evidence, Job
from workbench.models import ApiKey, Draft

_QUOTING = "_messages"


def register_all() -> None:
    """Make every place part of every erasure."""
    register(Place("sessions", _count_sessions, _clear_sessions))
    register(Place("keys", _count_keys, _clear_keys))
    register(Place("task results", _count_tasks, _clear_tasks))
    register(uploads.place())
    register(Place("drafts", _count_drafts, _clear_drafts))


def _talking(reach: Reach) -> list[tuple[Session, dict[str, Any]]]:
    found = ((row, row.get_decoded()) for row in Session.objects.all())
    return [(row, data) for row, data in found if _QUOTING in data]


def _count_sessions(reach: Reach) -> int:
    return len(_talking(reach))


def _clear_sessions(reach: Reach) -> int:
    """Take out what pages still had to say; who is signed in stays signed in."""
    talking = _talking(reach)
    for row, data in talking:
        del data[_QUOTING]
        row.session_data = SessionStore().encode(data)
        row.save(update_fields=["session_data"])
    return len(talking)


def _keys(reach: Reach) -> QuerySet[ApiKey]:
    return ApiKey.objects.filter(subjects__in=reach.subjects).exclude(name="").distinct()


def _count_keys(reach: Reach) -> int:
    return _keys(reach).count()


def _clear_keys(reach: Reach) -> int:
    """Revoke keys bound to erased subjects alone, and take the names of all that are bound."""
    bound = list(_keys(reach).prefetch_related("subjects"))
    for key in bound:
        others = [subject for subject in key.subjects.all() if subject.pk not in reach.subjects]
        key.name = ""
        if not others and key.revoked_at is None:
            key.revoked_at = timezone.now()
        key.save(update_fields=["name", "revoked_at"])
    return len(bound)


def _tasks(reach: Reach) -> QuerySet[Task]:
    """Deliveries of the space's jobs: the queue names them after the job."""
    jobs = Job.objects.filter(space_id=reach.scope.space_id)
    named = jobs.annotate(task=Concat(Value("job-"), F("pk"), output_field=CharField()))
    found: QuerySet[Task] = Task.objects.filter(name__in=named.values("task"))
    return found


def _count_tasks(reach: Reach) -> int:
    return int(_tasks(reach).count())


def _clear_tasks(reach: Reach) -> int:
    """Delete what the queue remembers of finished tasks: a failure may quote what it held."""
    return int(_tasks(reach).delete()[0])


def _drafts(reach: Reach) -> QuerySet[Draft]:
    """Drafts over what falls or loses words, over erased subjects, and those that say it."""
    quoting = Evidence.objects.filter(message__in=reach.touched).values_list("proposal", flat=True)
    over = reach.proposals | reach.reasons | reach.originals | frozenset(quoting)
    sought = Sought(reach)
    rows = Draft.objects.filter(space_id=reach.scope.space_id).exclude(fields={})
    falling = [
        pk
        for pk, proposal_id, subject_id, fields in rows.values_list(
            "pk", "proposal_id", "proposal__subject_id", "fields"
        )
        if proposal_id in over or subject_id in reach.subjects or sought.is_in(*fields.values())
    ]
    return Draft.objects.filter(pk__in=falling)


def _count_drafts(reach: Reach) -> int:
    return _drafts(reach).count()


def _clear_drafts(reach: Reach) -> int:
    """Delete what curators were writing over it: those words are not theirs alone."""
    return _drafts(reach).delete()[0]
