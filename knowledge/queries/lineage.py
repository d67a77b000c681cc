"""One statement through its versions: what it said, on which words, from when to when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from knowledge.models import Contest, Evidence, Statement, Version
from knowledge.queries.review import PastDecision, decisions_on

STATEMENTS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words a version rests on. **Shape**: ``found`` is False where they no longer stand there."""

    proposal_id: int
    message_id: int
    conversation_id: int
    speaker: str
    sent_at: datetime
    quote: str
    role: str
    found: bool


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version on both time axes.

    **Shape**: ``before`` is the text of the version it followed, '' for the first; ``state`` is
    ``believed``, ``believed, past`` or the reason it ended.
    """

    id: int
    text: str
    before: str
    state: str
    live: bool
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    tx_from: datetime | None
    tx_to: datetime | None
    opened_by: str
    opened_at: datetime | None
    happened: str
    derivation: str
    attribute: str
    about: str
    memory_type: str
    criticality: str
    proposal_id: int
    redacted: bool


@dataclass(frozen=True, slots=True)
class Lineage:
    """A statement with everything that stands behind it. **Shape**: versions newest first."""

    id: int
    subject: str
    versions: tuple[VersionRow, ...]
    quotes: tuple[Quoted, ...]
    decisions: tuple[PastDecision, ...]
    contested_with: tuple[tuple[int, str], ...]

    @property
    def current(self) -> VersionRow:
        """Return the version that speaks for the statement."""
        return self.versions[0]

    @property
    def is_live(self) -> bool:
        """Tell whether any version is believed now."""
        return any(version.live for version in self.versions)


@dataclass(frozen=True, slots=True)
class ListedStatement:
    """A believed version in the list of statements."""

    id: int
    version_id: int
    text: str
    flags: tuple[str, ...]
    subject: str
    attribute: str
    memory_type: str
    valid_from: datetime
    valid_to: datetime | None
    believed_since: datetime | None


def lineage(statement_id: int, *, space_id: int, now: datetime) -> Lineage | None:
    """Read a statement, or None where the space has none.

    **Cost**: six queries.
    """
    statement = (
        Statement.objects.filter(space_id=space_id, pk=statement_id)
        .select_related("subject")
        .first()
    )
    if statement is None:
        return None
    rows = list(
        Version.objects.filter(statement=statement)
        .select_related("opened_by__by", "derived_from")
        .order_by("tx_from", "valid", "pk")
    )
    if not rows:
        return None
    shown = [_version(row, before=_before(row, rows), now=now) for row in rows]
    shown.sort(key=lambda row: (row.live, row.valid_from, row.id), reverse=True)
    proposals = list(dict.fromkeys(row.proposal_id for row in shown))
    return Lineage(
        id=statement.pk,
        subject=statement.subject.name,
        versions=tuple(shown),
        quotes=quotes_of(proposals),
        decisions=decisions_on(*proposals),
        contested_with=_contested(rows),
    )


def statements(
    *, space_id: int, words: str = "", subject: int | None = None, after: int | None = None
) -> tuple[ListedStatement, ...]:
    """List what is believed now, newest first; one row beyond a page. One query.

    **Shape**: ``after`` is the version id the page before ended with.
    """
    rows: QuerySet[Version] = Version.objects.current().filter(
        space_id=space_id, redacted_at__isnull=True
    )
    for word in words.split():
        rows = rows.filter(Q(text__icontains=word) | Q(attribute__icontains=word))
    if subject:
        rows = rows.filter(subject_id=subject)
    if after:
        rows = rows.filter(pk__lt=after)
    rows = rows.select_related("subject", "proposal").order_by("-pk")
    return tuple(
        ListedStatement(
            id=row.statement_id,
            version_id=row.pk,
            text=row.text,
            flags=tuple(row.proposal.flags),
            subject=row.subject.name,
            attribute=row.attribute,
            memory_type=row.memory_type,
            valid_from=row.valid.lower,
            valid_to=row.valid.upper,
            believed_since=row.tx_from,
        )
        for row in rows.select_related("subject", "proposal").order_by("-pk")[
            : STATEMENTS_A_PAGE + 1
        ]
    )


def space_of_statement(statement_id: int) -> int | None:
    """Return which space a statement belongs to. One query."""
    return Statement.objects.filter(pk=statement_id).values_list("space_id", flat=True).first()


def quotes_of(proposal_ids: Iterable[int]) -> tuple[Quoted, ...]:
    """List the words behind proposals, oldest first. One query."""
    rows = (
        Evidence.objects.filter(proposal_id__in=list(proposal_ids))
        .select_related("message")
        .order_by("message__sent_at", "message__ordinal", "start")
    )
    return tuple(
        Quoted(
            proposal_id=row.proposal_id,
            message_id=row.message_id,
            conversation_id=row.message.conversation_id,
            speaker=row.message.speaker_name,
            sent_at=row.message.sent_at,
            quote=row.quote,
            role=row.role,
            found=row.message.text[row.start : row.end] == row.quote,
        )
        for row in rows
    )


def _before(row: Version, rows: list[Version]) -> str:
    if row.derived_from:
        return ""
    ended = [other for other in rows if other.successor_id == row.pk]
    return ended[0].text if ended else ""


def _version(row: Version, *, before: str, now: datetime) -> VersionRow:
    live = row.tx_to is None
    past = live and row.valid.upper is not None and row.valid.upper <= now
    decision = row.opened_by
    return VersionRow(
        id=row.pk,
        text=row.text,
        before=before,
        state=("believed, past" if past else "believed") if live else str(row.end_reason),
        live=live,
        valid_from=row.valid.lower,
        valid_to=row.valid.upper,
        start_basis=row.start_basis,
        tx_from=row.tx_from,
        tx_to=row.tx_to,
        opened_by=decision.by.get_username() if decision.by else decision.policy,
        opened_at=decision.at,
        happened=decision.reason_code,
        derivation=row.get_derivation_display() if row.derivation else "",
        attribute=row.attribute,
        about=row.about,
        memory_type=row.memory_type,
        criticality=row.criticality,
        proposal_id=row.proposal_id,
        redacted=row.redacted_at is not None,
    )


def _contested(rows: list[Version]) -> tuple[tuple[int, str], ...]:
    ids = [row.pk for row in rows]
    contests = Contest.objects.filter(
        Q(version_a__in=ids) | Q(version_b__in=ids), resolved_by__isnull=True
    ).select_related("version_a", "version_b")
    others = [c.version_b if c.version_a_id in ids else c.version_a for c in contests]
    return tuple((other.statement_id, other.text) for other in others)
