"""Conversations as people read them, and what became of their words."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from knowledge.models import Conversation, Evidence, ExtractionRun, Message, Version
from knowledge.trust import TrustState

CONVERSATIONS_A_PAGE = 50
MESSAGES_A_PAGE = 200


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation in the list."""

    id: int
    title: str
    external_id: str
    source: str
    messages: int
    waiting: int
    last_at: datetime | None
    is_erased: bool


@dataclass(frozen=True, slots=True)
class Use:
    """A span of a message that a proposal or statement rests on. **Units**: code points."""

    start: int
    end: int
    proposal_id: int
    statement_id: int | None
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """One message with everything that came from it."""

    id: int
    ordinal: int
    speaker: str
    kind: str
    sent_at: datetime
    text: str
    redacted: bool
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list."""

    id: int
    engine: str
    model: str
    subject: str
    episode_title: str
    conversation_id: int
    state: str
    error: str
    started_at: datetime
    duration_ms: int | None
    proposals: int
    aside: int
    shadow: bool
    beside_id: int | None


@dataclass(frozen=True, slots=True)
class ReadConversation:
    """A conversation page by page. **Shape**: ``next_ordinal`` is None on the last page."""

    id: int
    title: str
    external_id: str
    source: str
    subjects: tuple[str, ...]
    messages: tuple[ReadMessage, ...]
    next_ordinal: int | None
    runs: tuple[ListedRun, ...]
    is_erased: bool


def conversations(*, space_id: int, after: int | None = None) -> tuple[ListedConversation, ...]:
    """List conversations, newest first; one row beyond a page. Two queries."""
    rows = Conversation.objects.filter(space_id=space_id)
    if after:
        rows = rows.filter(pk__lt=after)
    rows = rows.annotate(number=Count("messages"), last=Max("messages__sent_at")).order_by("-pk")
    page = list(rows[: CONVERSATIONS_A_PAGE + 1])
    waiting = dict(
        ExtractionRun.objects.filter(episode__conversation__in=[row.pk for row in page])
        .values_list("episode__conversation_id")
        .annotate(waits=Count("proposals", filter=Q(proposals__state=TrustState.PENDING)))
        .order_by()
    )
    return tuple(
        ListedConversation(
            id=row.pk,
            title=row.title,
            external_id=row.external_id,
            source=row.source,
            messages=row.number,
            waiting=waiting.get(row.pk, 0),
            last_at=row.last,
            is_erased=row.redacted_at is not None,
        )
        for row in page
    )


def conversation(conversation_id: int, *, space_id: int, first: int = 0) -> ReadConversation | None:
    """Read a conversation from an ordinal on. **Cost**: six queries."""
    row = (
        Conversation.objects.filter(space_id=space_id, pk=conversation_id)
        .prefetch_related("subjects")
        .first()
    )
    if row is None:
        return None
    messages = list(
        Message.objects.filter(conversation=row, ordinal__gte=first).order_by("ordinal")[
            : MESSAGES_A_PAGE + 1
        ]
    )
    more = messages[MESSAGES_A_PAGE].ordinal if len(messages) > MESSAGES_A_PAGE else None
    shown = messages[:MESSAGES_A_PAGE]
    uses = _uses([message.pk for message in shown])
    return ReadConversation(
        id=row.pk,
        title=row.title,
        external_id=row.external_id,
        source=row.source,
        subjects=tuple(subject.name for subject in row.subjects.all()),
        messages=tuple(_message(message, uses.get(message.pk, [])) for message in shown),
        next_ordinal=more,
        runs=runs(space_id=space_id, conversation_id=row.pk, shadows=False),
        is_erased=row.redacted_at is not None,
    )


def space_of_conversation(conversation_id: int) -> int | None:
    """Return which space a conversation belongs to. One query."""
    found = Conversation.objects.filter(pk=conversation_id)
    return found.values_list("space_id", flat=True).first()


def runs(
    *,
    space_id: int,
    conversation_id: int | None = None,
    after: int | None = None,
    shadows: bool = True,
    within: "QuerySet[Any, int] | None" = None,
) -> tuple[ListedRun, ...]:
    """List extraction runs, newest first; one row beyond a page. One query.

    ``shadows`` lists those that were made for comparison, too. ``within`` selects the ids of
    conversations; runs over others are left out.
    """
    rows = ExtractionRun.objects.filter(space_id=space_id)
    if not shadows:
        rows = rows.filter(shadow=False)
    if within is not None:
        rows = rows.filter(episode__conversation_id__in=within)
    if conversation_id:
        rows = rows.filter(episode__conversation_id=conversation_id)
    if after:
        rows = rows.filter(pk__lt=after)
    aside = Count("proposals", filter=Q(proposals__state=TrustState.SET_ASIDE))
    rows = rows.select_related("subject", "episode").annotate(
        number=Count("proposals"), aside=aside
    )
    return tuple(
        ListedRun(
            id=row.pk,
            engine=row.engine,
            model=row.model,
            subject=row.subject.name,
            episode_title=row.episode.title,
            conversation_id=row.episode.conversation_id,
            state=row.state,
            error=row.error,
            started_at=row.started_at,
            duration_ms=row.duration_ms,
            proposals=row.number,
            aside=row.aside,
            shadow=row.shadow,
            beside_id=row.beside_id,
        )
        for row in rows.order_by("-pk")[: CONVERSATIONS_A_PAGE + 1]
    )


def _uses(message_ids: list[int]) -> dict[int, list[Use]]:
    rows = list(
        Evidence.objects.filter(message_id__in=message_ids)
        .select_related("proposal")
        .order_by("start", "pk")
    )
    believed = dict(
        Version.objects.filter(proposal__in={row.proposal_id for row in rows})
        .order_by("pk")
        .values_list("proposal_id", "statement_id")
    )
    uses: dict[int, list[Use]] = {}
    for row in rows:
        uses.setdefault(row.message_id, []).append(
            Use(
                start=row.start,
                end=row.end,
                proposal_id=row.proposal_id,
                statement_id=believed.get(row.proposal_id),
                state=row.proposal.state,
                text=row.proposal.text,
            )
        )
    return uses


def _message(row: Message, uses: list[Use]) -> ReadMessage:
    return ReadMessage(
        id=row.pk,
        ordinal=row.ordinal,
        speaker=row.speaker_name,
        kind=row.kind,
        sent_at=row.sent_at,
        text=row.text,
        redacted=row.redacted_at is not None,
        uses=tuple(uses),
    )
