"""What repeats words that go, without referring to them: read text by text.

Only rows about the same subjects are read, and those about none; what others say of their own
stays theirs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from knowledge.erasing.finding import Needle, leaves
from knowledge.erasing.scope import Reach
from knowledge.models import (
    AuditEvent,
    Conversation,
    Decision,
    Episode,
    ErasureKind,
    ExtractionRun,
    PredictedStatement,
    Proposal,
    ShadowCandidate,
)

# Shorter sayings stand in too many others to be looked for letter by letter.
SHORTEST_TEXT = 4


class Sought:
    """The sayings and words of an erasure, to be recognised in any text."""

    def __init__(self, reach: Reach) -> None:
        self.texts = [text for text in reach.texts if len(text) >= SHORTEST_TEXT]
        self.needles = [Needle(words) for words in reach.words]

    def is_in(self, *texts: str) -> bool:
        """Say whether one of the texts holds what is sought."""
        return any(self._holds(text) for text in texts if text)

    def _holds(self, text: str) -> bool:
        return any(needle.within(text) for needle in self.needles) or any(
            sought in text for sought in self.texts
        )


def with_repeats(reach: Reach) -> Reach:
    """Add every row about the same subjects that says what goes."""
    sought = Sought(reach)
    told, originals = _proposals(reach, sought=sought)
    return replace(
        reach,
        episodes=reach.episodes | _episodes(reach, sought=sought),
        titles=_titles(reach, sought=sought),
        predicted=reach.predicted | _predicted(reach, sought=sought),
        shadows=reach.shadows | _shadows(reach, sought=sought),
        runs=reach.runs | _runs(reach, sought=sought),
        reasons=reach.reasons | told | originals,
        originals=originals,
        decisions=reach.decisions | _decisions(reach, sought=sought),
        payloads=reach.payloads | _payloads(reach, sought=sought),
    )


def _saying(rows: Iterable[tuple[Any, ...]], *, sought: Sought) -> Iterator[Any]:
    """Go through (key, text, …) rows, keeping the keys of those that say it."""
    return (row[0] for row in rows if sought.is_in(*(str(text) for text in row[1:])))


def _episodes(reach: Reach, *, sought: Sought) -> frozenset[int]:
    rows = Episode.objects.filter(conversation__subjects__in=reach.owners).exclude(
        title="", narrative=""
    )
    return frozenset(_saying(rows.values_list("pk", "title", "narrative"), sought=sought))


def _titles(reach: Reach, *, sought: Sought) -> frozenset[int]:
    rows = Conversation.objects.filter(subjects__in=reach.owners).exclude(title="")
    rows = rows.exclude(pk__in=reach.conversations)
    return frozenset(_saying(rows.values_list("pk", "title"), sought=sought))


def _predicted(reach: Reach, *, sought: Sought) -> frozenset[int]:
    rows = PredictedStatement.objects.filter(run__subject_id__in=reach.owners).exclude(text="")
    return frozenset(_saying(rows.values_list("pk", "text"), sought=sought))


def _shadows(reach: Reach, *, sought: Sought) -> frozenset[int]:
    rows = ShadowCandidate.objects.filter(run__subject_id__in=reach.owners).exclude(text="")
    return frozenset(_saying(rows.values_list("pk", "text"), sought=sought))


def _runs(reach: Reach, *, sought: Sought) -> frozenset[int]:
    rows = ExtractionRun.objects.filter(subject_id__in=reach.owners).exclude(error="")
    return frozenset(_saying(rows.values_list("pk", "error"), sought=sought))


def _proposals(reach: Reach, *, sought: Sought) -> tuple[frozenset[int], frozenset[int]]:
    """Proposals that stay: those whose reasons repeat it, and those that said it as they came."""
    rows = Proposal.objects.filter(subject_id__in=reach.owners, redacted_at=None).exclude(
        pk__in=reach.proposals
    )
    told: set[int] = set()
    originals: set[int] = set()
    columns = ("pk", "reason", "stale_reason", "date_phrase", "unexpected", "original")
    for pk, *said, unexpected, original in rows.values_list(*columns).iterator():
        if sought.is_in(*said, *unexpected):
            told.add(pk)
        if sought.is_in(*leaves(original)):
            originals.add(pk)
    return frozenset(told), frozenset(originals)


def _decisions(reach: Reach, *, sought: Sought) -> frozenset[str]:
    rows = Decision.objects.filter(
        Q(proposal__subject_id__in=reach.owners) | Q(statement__subject_id__in=reach.owners)
    ).exclude(note="")
    return frozenset(map(str, _saying(rows.values_list("pk", "note"), sought=sought)))


def _payloads(reach: Reach, *, sought: Sought) -> frozenset[str]:
    """Payloads of events about the same subjects, and, for words, of events about no subject."""
    events = AuditEvent.objects.filter(payload__erased_at__isnull=True, payload__isnull=False)
    here = events.filter(ledger__space_id=reach.scope.space_id)
    found = _with_bodies(here.filter(subject_id__in=reach.owners), sought=sought)
    if reach.words:
        loose = here.filter(subject_id__isnull=True).filter(_may_hold(reach.words))
        found |= _with_bodies(loose, sought=sought)
    if reach.scope.kind == ErasureKind.SUBJECT:
        # In the system's chain a subject is named in full, as kind and id.
        names = tuple(word for word in reach.words if ":" in word)
        named = events.filter(ledger__space_id__isnull=True).filter(_may_hold(names))
        found |= _with_bodies(named, sought=Sought(replace(reach, texts=(), words=names)))
    return frozenset(found)


def _with_bodies(events: QuerySet[AuditEvent], *, sought: Sought) -> set[str]:
    rows = events.values_list("payload_id", "payload__body").iterator()
    return {str(pk) for pk, body in rows if sought.is_in(*leaves(body))}


def _may_hold(words: Iterable[str]) -> Q:
    """Narrow payloads to those that could hold the words, before they are read one by one."""
    first = [Needle(word).folded.partition(" ")[0] for word in words]
    nothing = Q(pk__in=[])
    return reduce(or_, (Q(payload__body__icontains=part) for part in first if part), nothing)
