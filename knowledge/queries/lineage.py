"""One statement through its versions: what it said, on which words, from when to when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from knowledge.models import (
    Confirmation,
    DecisionKind,
    Derivation,
    Evidence,
    Statement,
    Version,
)
from knowledge.queries.contests import Contested, contests_of, decisions_about_contests
from knowledge.queries.review import PastDecision, decisions_on
from knowledge.queries.targets import Brief
from knowledge.trust import TrustState

STATEMENTS_A_PAGE = 50
_CAN_RETURN = frozenset({DecisionKind.RETRACT, DecisionKind.REFUTE, DecisionKind.EXPIRE})


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
    ``believed``, ``believed, past`` or the reason it ended; ``can_return`` says that it ended
    without a successor and nothing brought it back.
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
    flags: tuple[str, ...]
    can_return: bool


@dataclass(frozen=True, slots=True)
class Lineage:
    """A statement with everything that stands behind it.

    **Shape**: versions newest first; ``quotes`` hold the words of what confirmed it, too.
    """

    id: int
    space_id: int
    subject_id: int
    subject: str
    versions: tuple[VersionRow, ...]
    quotes: tuple[Quoted, ...]
    decisions: tuple[PastDecision, ...]
    contests: tuple[Contested, ...]

    @property
    def current(self) -> VersionRow:
        """Return the version that speaks for the statement."""
        return self.versions[0]

    def standing(self, version_id: int | None) -> VersionRow | None:
        """Return the believed version that was asked for, else the one that speaks for all."""
        live = [version for version in self.versions if version.live]
        asked = (version for version in live if version.id == version_id)
        return next(asked, live[0] if live else None)


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

    **Cost**: seven queries.
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
        .select_related("opened_by__by", "closed_by", "derived_from", "proposal")
        .order_by("tx_from", "valid", "pk")
    )
    if not rows:
        return None
    shown = [_version(row, rows=rows, now=now) for row in rows]
    shown.sort(key=lambda row: (row.live, row.valid_from, row.id), reverse=True)
    proposals = list(dict.fromkeys(row.proposal_id for row in shown))
    versions = [row.pk for row in rows]
    confirming = Confirmation.objects.filter(confirms=statement, undone_by__isnull=True)
    lent = dict(confirming.values_list("proposal_id", "decision_id"))
    others = {*lent.values(), *decisions_about_contests(versions)}
    return Lineage(
        id=statement.pk,
        space_id=statement.space_id,
        subject_id=statement.subject_id,
        subject=statement.subject.name,
        versions=tuple(shown),
        quotes=quotes_of([*proposals, *lent]),
        decisions=decisions_on(*proposals, statement_id=statement.pk, besides=others),
        contests=contests_of(versions),
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


def brief_version(version_id: int, *, statement_id: int, space_id: int) -> Brief | None:
    """Return what is needed to name a version of a statement. One query."""
    row = (
        Version.objects.filter(pk=version_id, statement_id=statement_id, space_id=space_id)
        .select_related("proposal")
        .first()
    )
    return Brief(text=row.text, flags=tuple(row.proposal.flags)) if row else None


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


def _can_return(row: Version, rows: list[Version]) -> bool:
    """What was brought back stands for what it was made from, unless that was undone."""
    brought_back = any(
        other.derived_from_id == row.pk
        and other.derivation == Derivation.RESTORES
        and (other.closed_by is None or other.closed_by.kind != DecisionKind.UNDO)
        for other in rows
    )
    approved = row.proposal.state == TrustState.APPROVED and row.redacted_at is None
    ended = row.closed_by is not None and row.closed_by.kind in _CAN_RETURN
    return approved and ended and not brought_back


def _version(row: Version, *, rows: list[Version], now: datetime) -> VersionRow:
    live = row.tx_to is None
    past = live and row.valid.upper is not None and row.valid.upper <= now
    decision = row.opened_by
    return VersionRow(
        id=row.pk,
        text=row.text,
        before=_before(row, rows),
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
        flags=tuple(row.proposal.flags),
        can_return=_can_return(row, rows),
    )
