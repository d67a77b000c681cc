"""The dry run: what an erasure would empty, in words and numbers a person can judge."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from knowledge.erasing import places
from knowledge.erasing.finding import Needle
from knowledge.erasing.reach import reach_of
from knowledge.erasing.scope import ErasureScope, Reach, Span
from knowledge.errors import InvalidInput, NotFound
from knowledge.models import (
    Conversation,
    ConversationSubject,
    ErasureKind,
    Message,
    Proposal,
    Statement,
    Subject,
    Version,
)
from knowledge.texts import check_text

MOST_SHOWN = 200
FEWEST_LETTERS = 2
LONGEST_VALUE = 500


@dataclass(frozen=True, slots=True)
class Falling:
    """A proposal that would be emptied, and the statement it became, if it did.

    **Shape**: ``state`` is the trust state; ``is_believed`` says whether agents receive it now.
    """

    proposal_id: int
    statement_id: int | None
    text: str
    state: str
    is_believed: bool
    flags: tuple[str, ...]
    subject: str
    of_other_subject: bool


@dataclass(frozen=True, slots=True)
class LosingWords:
    """A message that would lose its words: all of them, or the spans (code points)."""

    message_id: int
    conversation_id: int
    ordinal: int
    speaker: str
    text: str
    whole: bool
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Staying:
    """A message that says the same words, or was said beside, and would stay.

    **Shape**: ``why`` is words | name | beside.
    """

    message_id: int
    conversation_id: int
    ordinal: int
    speaker: str
    text: str
    why: str = "words"


@dataclass(frozen=True, slots=True)
class Plan:
    """What an erasure would do.

    **Shape**: ``counts`` by noun, in the order they are shown; the lists hold the first
    ``MOST_SHOWN``. ``digest`` (SHA-256, hex) changes with what would fall and lose words, so that
    what is asked for and confirmed is what was seen.
    """

    scope: ErasureScope
    title: str
    counts: Mapping[str, int]
    falling: tuple[Falling, ...]
    losing: tuple[LosingWords, ...]
    staying: tuple[Staying, ...]
    digest: str
    is_empty: bool


def plan_of(scope: ErasureScope) -> Plan:
    """Say what an erasure would empty, changing nothing.

    **Raises**: NotFound; InvalidInput for words that would match nearly everything.
    """
    title = title_of(scope)
    reach = reach_of(scope)
    return Plan(
        scope=scope,
        title=title,
        counts=counts_of(reach),
        falling=_falling(reach),
        losing=_losing(reach),
        staying=_staying(reach),
        digest=digest_of(reach),
        is_empty=reach.is_empty,
    )


def title_of(scope: ErasureScope) -> str:
    """Name what is to be forgotten.

    **Raises**: NotFound where it is not in this space, or is gone already; InvalidInput.
    """
    kind = ErasureKind(scope.kind)
    if kind == ErasureKind.STATEMENT:
        return _statement_title(scope)
    if kind == ErasureKind.CONVERSATION:
        return _conversation_title(scope)
    subject = Subject.objects.filter(
        pk=scope.target_id, space_id=scope.space_id, redacted_at=None
    ).first()
    if subject is None:
        raise NotFound("There is no such subject in this space, or it was erased already.")
    if kind == ErasureKind.SUBJECT:
        return f"{subject.name} ({subject})"
    check_text(scope.words, field="words", most=LONGEST_VALUE)
    if len("".join(scope.words.split())) < FEWEST_LETTERS:
        raise InvalidInput("Write the value to forget, in at least two letters.", field="words")
    return f"“{scope.words.strip()}” of {subject.name}"


def counts_of(reach: Reach) -> dict[str, int]:
    """Count what would be emptied, by noun."""
    counts = {
        "subjects": len(reach.subjects),
        "conversations": len(reach.conversations),
        "titles of conversations": len(reach.titles),
        "messages": len(reach.messages),
        "messages losing words": len(reach.masks),
        "statements": len(reach.statements),
        "versions": len(reach.versions),
        "proposals": len(reach.proposals),
        "quotes of others": len(reach.quotes),
        "search entries made anew": len(reach.neighbours),
        "episodes": len(reach.episodes),
        "predictions": len(reach.predicted),
        "candidates of shadow runs": len(reach.shadows),
        "notes and cards of decisions": len(reach.decisions),
        "payloads of the log": len(reach.payloads),
    }
    return counts | places.count(reach)


def digest_of(reach: Reach) -> str:
    """Return the fingerprint of what falls and what loses words."""
    seen = {
        "kind": reach.scope.kind,
        "target": reach.scope.target_id,
        "subjects": sorted(reach.subjects),
        "conversations": sorted(reach.conversations),
        "messages": sorted(reach.messages),
        "masks": sorted((key, sorted(spans)) for key, spans in reach.masks.items()),
        "proposals": sorted(reach.proposals),
        "versions": sorted(reach.versions),
    }
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def _statement_title(scope: ErasureScope) -> str:
    statement = Statement.objects.filter(pk=scope.target_id, space_id=scope.space_id).first()
    version = statement and statement.versions.filter(redacted_at=None).order_by("-pk").first()
    if not version:
        raise NotFound("There is no such statement in this space, or it was erased already.")
    return f"“{version.text}”"


def _conversation_title(scope: ErasureScope) -> str:
    found = Conversation.objects.filter(
        pk=scope.target_id, space_id=scope.space_id, redacted_at=None
    ).first()
    if found is None:
        raise NotFound("There is no such conversation in this space, or it was erased already.")
    return found.title or found.external_id


def _falling(reach: Reach) -> tuple[Falling, ...]:
    rows = (
        Proposal.objects.filter(pk__in=reach.proposals, redacted_at=None)
        .select_related("subject")
        .order_by("subject_id", "pk")[:MOST_SHOWN]
    )
    shown = list(rows)
    versions = Version.objects.filter(proposal_id__in=[row.pk for row in shown]).order_by("pk")
    became = {row.proposal_id: row.statement_id for row in versions}
    believed = {row.proposal_id for row in versions if row.tx_to is None}
    named = _subjects_named(reach)
    return tuple(
        Falling(
            proposal_id=row.pk,
            statement_id=became.get(row.pk),
            text=row.text,
            state=row.state,
            is_believed=row.pk in believed,
            flags=tuple(row.flags),
            subject=row.subject.name,
            of_other_subject=row.subject_id not in named,
        )
        for row in shown
    )


def _subjects_named(reach: Reach) -> frozenset[int]:
    scope = reach.scope
    if scope.kind in (ErasureKind.SUBJECT, ErasureKind.VALUE):
        return frozenset({scope.target_id})
    if scope.kind == ErasureKind.STATEMENT:
        rows = Statement.objects.filter(pk=scope.target_id)
        return frozenset(rows.values_list("subject_id", flat=True))
    own = Subject.objects.filter(conversations=scope.target_id)
    return frozenset(own.values_list("pk", flat=True))


def _losing(reach: Reach) -> tuple[LosingWords, ...]:
    rows = Message.objects.filter(pk__in=reach.touched).exclude(text="")
    return tuple(
        LosingWords(
            message_id=row.pk,
            conversation_id=row.conversation_id,
            ordinal=row.ordinal,
            speaker=row.speaker_name,
            text=row.text,
            whole=row.pk in reach.messages,
            spans=tuple(sorted(reach.masks.get(row.pk, ()))),
        )
        for row in rows.order_by("conversation_id", "ordinal")[:MOST_SHOWN]
    )


def _staying(reach: Reach) -> tuple[Staying, ...]:
    """Messages that say the same, name the subject, or were said beside, and keep their words."""
    rows = Message.objects.filter(space_id=reach.scope.space_id).exclude(text="")
    rows = rows.exclude(pk__in=reach.touched).order_by("conversation_id", "ordinal")
    found: dict[int, Staying] = {}
    if reach.scope.kind == ErasureKind.SUBJECT:
        name = Subject.objects.values_list("name", flat=True).get(pk=reach.scope.target_id)
        mine = ConversationSubject.objects.filter(subject_id=reach.scope.target_id)
        beside = rows.filter(
            conversation_id__in=mine.values("conversation_id"), speaker__isnull=True
        )
        _keep(found, beside, why="beside")
        _keep(found, rows.filter(speaker_name=name), why="name")
        _keep(found, rows, why="name", needle=Needle(name))
    elif reach.scope.words:
        _keep(found, rows, why="words", needle=Needle(reach.scope.words))
    return tuple(found.values())


def _keep(
    found: dict[int, Staying],
    rows: QuerySet[Message],
    *,
    why: str,
    needle: Needle | None = None,
) -> None:
    for row in rows.iterator():
        if len(found) >= MOST_SHOWN:
            return
        if row.pk not in found and (needle is None or needle.within(row.text)):
            found[row.pk] = Staying(
                row.pk, row.conversation_id, row.ordinal, row.speaker_name, row.text, why
            )
