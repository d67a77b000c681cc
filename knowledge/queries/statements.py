"""One statement and its versions, inside a caller's scope and at both instants."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from knowledge.errors import NotFound
from knowledge.models import Derivation, Version
from knowledge.queries import asof
from knowledge.queries.quotes import Quote, quotes_of


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version as it was known at an instant.

    **Shape**: what was decided after that instant is not part of it: a belief that ended later
    is open. ``redacted`` versions have no words left. ``end_reason`` is ``over`` where the stated
    time ran out; ``quotes`` count as of the same instant.
    """

    version_id: int
    text: str
    about: str
    memory_type: str
    criticality: str
    attribute: str
    value: str
    language: str
    valid_from: datetime
    valid_to: datetime | None
    start_basis: str
    believed_from: datetime
    believed_until: datetime | None
    end_reason: str | None
    successor_id: int | None
    derived_from_id: int | None
    derivation: str | None
    confidence: float
    redacted: bool
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class StatementView:
    """A statement at both instants. **Shape**: ``holds`` is None where no version holds then."""

    statement_id: int
    subject_id: int
    subject: str
    valid_at: datetime
    known_at: datetime
    holds: VersionView | None
    versions: tuple[VersionView, ...]

    @property
    def latest(self) -> VersionView:
        """Return the version that holds, else the one decided on last."""
        return self.holds or self.versions[-1]


def statement(
    statement_id: int,
    *,
    space_id: int,
    subject_ids: Collection[int],
    valid_at: datetime | None,
    known_at: datetime | None,
    now: datetime,
) -> StatementView:
    """Read a statement with every version known then, in order of belief.

    **Cost**: three queries. **Raises**: InvalidPeriod; NotFound outside the scope, and where
    nothing of it was known yet.
    """
    instants = asof.instants_of(space_id=space_id, valid_at=valid_at, known_at=known_at, now=now)
    rows = list(
        Version.objects.filter(
            space_id=space_id,
            subject_id__in=subject_ids,
            statement_id=statement_id,
            tx_from__lte=instants.known_at,
        )
        .select_related("subject", "proposal", "derived_from")
        .order_by("tx_from", "valid", "pk")
    )
    if not rows:
        raise NotFound("There is no such statement.")
    quotes = quotes_of([row.pk for row in rows], known_at=instants.known_at)
    views = {row.pk: _view(row, instants=instants, quotes=quotes.get(row.pk, ())) for row in rows}
    holding = [row.pk for row in rows if _holds(row, instants=instants)]
    return StatementView(
        statement_id=statement_id,
        subject_id=rows[0].subject_id,
        subject=str(rows[0].subject),
        valid_at=instants.valid_at,
        known_at=instants.known_at,
        holds=views[holding[-1]] if holding else None,
        versions=tuple(views.values()),
    )


def _holds(row: Version, *, instants: asof.Instants) -> bool:
    believed = row.tx_to is None or row.tx_to > instants.known_at
    begun = row.valid.lower is not None and row.valid.lower <= instants.valid_at
    return believed and begun and (row.valid.upper is None or row.valid.upper > instants.valid_at)


def _view(row: Version, *, instants: asof.Instants, quotes: tuple[Quote, ...]) -> VersionView:
    until = row.tx_to if row.tx_to is not None and row.tx_to <= instants.known_at else None
    reason, successor_id = (row.end_reason, row.successor_id) if until else _over(row, instants)
    return VersionView(
        version_id=row.pk,
        text=row.text,
        about=row.about,
        memory_type=row.memory_type,
        criticality=row.criticality,
        attribute=row.attribute,
        value=row.value,
        language=row.language,
        valid_from=row.valid.lower,
        valid_to=row.valid.upper,
        start_basis=row.start_basis,
        believed_from=row.tx_from or row.observed_at,
        believed_until=until,
        end_reason=reason,
        successor_id=successor_id,
        derived_from_id=row.derived_from_id,
        derivation=row.derivation,
        confidence=row.proposal.confidence,
        redacted=row.redacted_at is not None,
        quotes=quotes,
    )


def _over(row: Version, instants: asof.Instants) -> tuple[str | None, int | None]:
    """A belief that goes on about a time that is over: ended by a change, or by its own words."""
    if row.valid.upper is None or row.valid.upper > instants.valid_at:
        return None, None
    origin = row.derived_from
    if row.derivation == Derivation.REMNANT and origin and origin.end_reason:
        return origin.end_reason, origin.successor_id
    return "over", None
