"""Opening and closing versions: steps on locked rows, never commands of their own."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Min, Q, QuerySet

from knowledge.commands import indexing, recognising
from knowledge.errors import SlotTaken, TargetMoved
from knowledge.fingerprints import canonical, fingerprint
from knowledge.models import (
    Attribute,
    Contest,
    Decision,
    Derivation,
    EndReason,
    Proposal,
    Statement,
    Version,
)
from knowledge.periods import Period, make_period, remnants

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Opening:
    """A version about to be opened. ``version_id`` is allocated when a successor needs it."""

    statement: Statement
    valid: Period
    slot_key: str | None
    version_id: int | None = None


def slot_of(proposal: Proposal) -> str | None:
    """Return the slot the proposal would take, or None where many may hold."""
    if not proposal.attribute:
        return None
    single = Attribute.objects.filter(
        space_id=proposal.space_id, key=proposal.attribute, single_valued=True
    ).exists()
    if not single:
        return None
    about = canonical(proposal.about)
    own = canonical(proposal.subject.name)
    if about in ("", own):
        return proposal.attribute
    # Folding can make a name many times as long.
    name = about if len(about) <= LONGEST_NAME else fingerprint(about)
    return f"{proposal.attribute} of {name}"


def next_version_id() -> int:
    """Allocate a version's id, so that what it replaces can name it first."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('knowledge_version', 'id'))")
        row = cursor.fetchone()
    if row is None:
        raise RuntimeError("the version sequence gave no value")
    return int(row[0])


def open_version(proposal: Proposal, *, decision: Decision, opening: Opening) -> Version:
    """Insert the version an approval opens, and index it.

    **Raises**: SlotTaken when another current statement holds the slot in this period.
    """
    version = Version(
        id=opening.version_id,
        space_id=proposal.space_id,
        statement=opening.statement,
        subject_id=proposal.subject_id,
        about=proposal.about,
        text=proposal.text,
        memory_type=proposal.memory_type,
        criticality=proposal.criticality,
        attribute=proposal.attribute,
        value=proposal.value,
        slot_key=opening.slot_key,
        value_key=fingerprint(proposal.attribute, proposal.value or proposal.text),
        language=proposal.language,
        valid=opening.valid,
        start_basis=proposal.start_basis,
        observed_at=_first_said(proposal),
        opened_by=decision,
        proposal=proposal,
    )
    _insert(version)
    indexing.index_version(version, decision=decision)
    return version


def committed(version: Version) -> dict[str, str | None]:
    """Return what the log commits to of a version, so that a later change of it is found."""
    start, end = version.valid.lower, version.valid.upper
    return {
        "about": version.about,
        "attribute": version.attribute,
        "value": version.value,
        "memory_type": version.memory_type,
        "criticality": version.criticality,
        "from": start.isoformat() if start else None,
        "to": end.isoformat() if end else None,
    }


def derive_version(
    origin: Version, *, decision: Decision, valid: Period, derivation: Derivation
) -> Version:
    """Insert a remnant of, or restore, a version without new words.

    **Raises**: SlotTaken when the slot has been taken meanwhile.
    """
    version = Version.objects.get(pk=origin.pk)
    version.pk = None
    version.valid = valid
    version.tx_from = None
    version.tx_to = None
    version.end_reason = None
    version.successor = None
    version.opened_by = decision
    version.derived_from = origin
    version.derivation = derivation
    ended_by = version.closed_by_id
    version.closed_by = None
    _insert(version)
    indexing.copy_index(version, origin=origin, decision=decision)
    _take_over_contests(version, origin=origin, ended_by=ended_by)
    return version


def brought_back(version: Version) -> Version | None:
    """Return the version that came back for an ended one, by a decision nobody undid.

    It may have ended since: then that one is what could come back, so that nothing does twice.
    """
    return version.derived.filter(
        derivation=Derivation.RESTORES, opened_by__undone_by__isnull=True
    ).first()


def close_version(
    version: Version, *, decision: Decision, reason: EndReason, successor_id: int | None = None
) -> None:
    """End a belief, if it is still the one that was seen.

    **Raises**: TargetMoved when it ended meanwhile.
    """
    closed = Version.objects.filter(pk=version.pk, tx_to__isnull=True).update(
        tx_to=decision.at, closed_by=decision, end_reason=reason, successor_id=successor_id
    )
    if closed != 1:
        raise TargetMoved(
            "The statement this would end has changed meanwhile.", version_id=version.pk
        )
    # What is believed no more contests nothing; what is left of it, or restored, does again.
    _contests_of(version).filter(resolved_by__isnull=True).update(resolved_by=decision)


def replace_from(
    proposal: Proposal, *, decision: Decision, target: Version, start: datetime
) -> Version:
    """Let the proposal hold from ``start`` on, keeping the old for its time.

    An older claim never ends a newer fact: where the slot's next version begins later than
    ``start``, the claim stops there and that version stays untouched.

    **Raises**: TargetMoved, SlotTaken, InvalidPeriod.
    """
    slot_key = target.slot_key or slot_of(proposal)
    valid = _bounded(proposal, target=target, slot_key=slot_key, start=start)
    version_id = next_version_id()
    if _overlaps(target.valid, valid):
        close_version(
            target, decision=decision, reason=EndReason.SUPERSEDED, successor_id=version_id
        )
        for rest in remnants(target.valid, start=start, end=valid.upper):
            if rest is not None:
                derive_version(target, decision=decision, valid=rest, derivation=Derivation.REMNANT)
    elif not Version.objects.current().filter(pk=target.pk).exists():
        raise TargetMoved(
            "The statement this would follow has changed meanwhile.", version_id=target.pk
        )
    opening = Opening(target.statement, valid, slot_key, version_id)
    return open_version(proposal, decision=decision, opening=opening)


def correct(proposal: Proposal, *, decision: Decision, target: Version) -> Version:
    """End what was never so and open what is, with no remnant.

    **Raises**: TargetMoved, SlotTaken.
    """
    version_id = next_version_id()
    close_version(target, decision=decision, reason=EndReason.CORRECTED, successor_id=version_id)
    valid = make_period(proposal.valid_from, proposal.valid_to)
    slot_key = target.slot_key or slot_of(proposal)
    opening = Opening(target.statement, valid, slot_key, version_id)
    return open_version(proposal, decision=decision, opening=opening)


def begin_statement(proposal: Proposal, *, decision: Decision, slot_key: str | None) -> Version:
    """Open a statement of its own for the proposal.

    **Raises**: SlotTaken.
    """
    statement = Statement.objects.create(space_id=proposal.space_id, subject_id=proposal.subject_id)
    valid = make_period(proposal.valid_from, proposal.valid_to)
    return open_version(proposal, decision=decision, opening=Opening(statement, valid, slot_key))


def _first_said(proposal: Proposal) -> datetime:
    said = proposal.evidence.aggregate(first=Min("message__sent_at"))["first"]
    return said if isinstance(said, datetime) else proposal.created_at


def _bounded(
    proposal: Proposal, *, target: Version, slot_key: str | None, start: datetime
) -> Period:
    later = [target.valid.lower]
    if slot_key is not None:
        held = Version.objects.current().filter(
            space_id=proposal.space_id, subject_id=proposal.subject_id, slot_key=slot_key
        )
        later += [valid.lower for valid in held.values_list("valid", flat=True)]
    ends = [begin for begin in later if begin is not None and begin > start]
    if proposal.valid_to is not None:
        ends.append(proposal.valid_to)
    return make_period(start, min(ends) if ends else None)


def _contests_of(version: Version) -> QuerySet[Contest]:
    return Contest.objects.filter(Q(version_a=version) | Q(version_b=version))


def _take_over_contests(version: Version, *, origin: Version, ended_by: UUID | None) -> None:
    for contest in _contests_of(origin).filter(resolved_by_id=ended_by):
        other = contest.version_b if contest.version_a_id == origin.pk else contest.version_a
        if other.tx_to is None:
            Contest.objects.create(
                space_id=version.space_id,
                version_a=other,
                version_b=version,
                opened_by=version.opened_by,
            )


def _overlaps(left: Period, right: Period) -> bool:
    begins_before = right.upper is None or left.lower is None or left.lower < right.upper
    ends_after = left.upper is None or right.lower is None or left.upper > right.lower
    return begins_before and ends_after


def _insert(version: Version) -> None:
    recognising.check_believable(recognising.value_of(version))
    try:
        with transaction.atomic():
            version.save(force_insert=True)
    except IntegrityError as error:
        if "one_truth_per_slot" not in str(error):
            raise
        raise SlotTaken(
            f"Another current statement already says the {version.attribute} for this time. "
            "Choose what happened to it."
        ) from error
    version.refresh_from_db(fields=["tx_from"])
