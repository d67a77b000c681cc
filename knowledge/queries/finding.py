"""Finding what is to be forgotten: by subject, by words, by conversation. Bounded, never ranked."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from knowledge.models import Conversation, Message, Proposal, Subject, Version

MOST_FOUND = 20
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Some(Generic[Row]):
    """The first rows of what was found; ``more`` says that there are others."""

    rows: tuple[Row, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class FoundSubject:
    """Somebody or something with a memory. ``believed`` counts what agents may receive now."""

    id: int
    ref: str
    name: str
    believed: int
    conversations: int


@dataclass(frozen=True, slots=True)
class FoundConversation:
    """A conversation by its title or external id."""

    id: int
    title: str
    external_id: str
    source: str
    messages: int
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """A statement that says, or once said, the words."""

    id: int
    text: str
    flags: tuple[str, ...]
    subject: str
    is_believed: bool


@dataclass(frozen=True, slots=True)
class FoundProposal:
    """A proposal with the words that became no statement."""

    id: int
    text: str
    flags: tuple[str, ...]
    subject: str
    state: str


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that holds the words."""

    id: int
    conversation_id: int
    conversation: str
    speaker: str
    sent_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. **Shape**: ``owners`` are whose memory the words were found in."""

    subjects: Some[FoundSubject] = Some()
    conversations: Some[FoundConversation] = Some()
    statements: Some[FoundStatement] = Some()
    proposals: Some[FoundProposal] = Some()
    messages: Some[FoundMessage] = Some()
    owners: Some[FoundSubject] = Some()

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was found."""
        parts = (self.subjects, self.conversations, self.statements, self.proposals, self.messages)
        return not any(part.rows for part in parts)


def by_subject(words: str, *, space_id: int) -> Found:
    """Find subjects by name, external id or ``kind:external_id``. One query."""
    kind, colon, external_id = words.partition(":")
    wanted = Q(name__icontains=words) | Q(external_id__icontains=words)
    if colon:
        wanted |= Q(kind=kind.strip().lower(), external_id__icontains=external_id.strip())
    rows = Subject.objects.filter(wanted, space_id=space_id, redacted_at__isnull=True)
    return Found(subjects=_some(_subjects(rows), _subject))


def by_conversation(words: str, *, space_id: int) -> Found:
    """Find conversations by title or external id. Two queries."""
    rows = (
        Conversation.objects.filter(space_id=space_id, redacted_at__isnull=True)
        .filter(Q(title__icontains=words) | Q(external_id__icontains=words))
        .annotate(number=Count("messages"))
        .prefetch_related("subjects")
        .order_by("-pk")
    )
    return Found(conversations=_some(rows, _conversation))


def by_words(words: str, *, space_id: int) -> Found:
    """Find what says the words, and in whose memory it does. **Cost**: four queries."""
    said = Q(text__icontains=words) | Q(value__icontains=words) | Q(about__icontains=words)
    live = {"space_id": space_id, "redacted_at__isnull": True}
    versions = Version.objects.filter(said, **live)
    proposals = Proposal.objects.filter(said | Q(original__text__icontains=words), **live)
    messages = Message.objects.filter(space_id=space_id, text__icontains=words)
    heard = Conversation.objects.filter(pk__in=messages.values("conversation_id"))
    owners = Subject.objects.filter(space_id=space_id, redacted_at__isnull=True).filter(
        Q(pk__in=proposals.values("subject_id"))
        | Q(pk__in=versions.values("subject_id"))
        | Q(conversations__in=heard)
    )
    return Found(
        statements=_statements(versions),
        proposals=_some(_loose(proposals), _proposal),
        messages=_some(
            messages.select_related("conversation").order_by("-sent_at", "-pk"), _message
        ),
        owners=_some(_subjects(owners), _subject),
    )


def _some(rows: QuerySet[Any], read: Callable[[Any], Row]) -> Some[Row]:
    found = list(rows[: MOST_FOUND + 1])
    return Some(tuple(read(row) for row in found[:MOST_FOUND]), more=len(found) > MOST_FOUND)


def _subjects(rows: QuerySet[Subject]) -> QuerySet[Any]:
    believed = Count("versions", filter=Q(versions__tx_to__isnull=True), distinct=True)
    return (
        Subject.objects.filter(pk__in=rows.values("pk"))
        .annotate(believed=believed, talks=Count("conversations", distinct=True))
        .order_by("name", "pk")
    )


def _subject(row: Any) -> FoundSubject:
    return FoundSubject(row.pk, str(row), row.name, row.believed, row.talks)


def _conversation(row: Any) -> FoundConversation:
    return FoundConversation(
        id=row.pk,
        title=row.title,
        external_id=row.external_id,
        source=row.source,
        messages=row.number,
        subjects=tuple(subject.name for subject in row.subjects.all()),
    )


def _statements(versions: QuerySet[Version]) -> Some[FoundStatement]:
    """One row a statement, in the words of its newest version that says them."""
    newest = versions.order_by("statement_id", "-pk").distinct("statement_id").values("pk")
    standing = Version.objects.current().filter(statement_id=OuterRef("statement_id"))
    rows = (
        Version.objects.filter(pk__in=newest)
        .annotate(believed=Exists(standing))
        .select_related("subject", "proposal")
        .order_by("-pk")
    )
    return _some(rows, _statement)


def _statement(row: Any) -> FoundStatement:
    return FoundStatement(
        id=row.statement_id,
        text=row.text,
        flags=tuple(row.proposal.flags),
        subject=row.subject.name,
        is_believed=row.believed,
    )


def _loose(proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """Those that never became a statement: it speaks for the others."""
    became = Version.objects.filter(proposal_id=OuterRef("pk"))
    return proposals.exclude(Exists(became)).select_related("subject").order_by("-pk")


def _proposal(row: Proposal) -> FoundProposal:
    return FoundProposal(row.pk, row.text, tuple(row.flags), row.subject.name, row.state)


def _message(row: Message) -> FoundMessage:
    return FoundMessage(
        id=row.pk,
        conversation_id=row.conversation_id,
        conversation=row.conversation.title or row.conversation.external_id,
        speaker=row.speaker_name,
        sent_at=row.sent_at,
        text=row.text,
    )
