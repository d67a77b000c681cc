"""What an approval would end: the belief a proposal names, or the one whose place it takes."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.models import Proposal, Version
from knowledge.periods import make_period


@dataclass(frozen=True, slots=True)
class Target:
    """The believed version an approval would end, contest or confirm.

    **Shape**: ``moved`` says that it is no longer the one the extraction saw; ``by_slot`` that
    no one named it: it holds the place the proposal would take.
    """

    statement_id: int
    version_id: int
    text: str
    valid_from: datetime
    valid_to: datetime | None
    believed_since: datetime | None
    believed: bool
    moved: bool
    by_slot: bool = False


def target_of(proposal: Proposal) -> Target | None:
    """This function will find what an approval would end, contest or confirm. One query."""
    if proposal.target_id is None:
        return _slot_holder(proposal)
    seen = proposal.target_seen
    current = Version.objects.current().filter(statement_id=proposal.target_id)
    rows = list(current.order_by("-valid", "-pk"))
    version = next((row for row in rows if seen and row.pk == seen.pk), None)
    version = version or (rows[0] if rows else seen)
    if version is None:
        return None
    return _as_target(version, moved=seen is not None and version.pk != seen.pk)


def _slot_holder(proposal: Proposal) -> Target | None:
    """This function will find what holds the one place a proposal without a target would take."""
    if not proposal.attribute:
        return None
    held = Version.objects.current().filter(
        space_id=proposal.space_id,
        subject_id=proposal.subject_id,
        attribute=proposal.attribute,
        about__iexact=proposal.about,
        slot_key__isnull=False,
        valid__overlap=make_period(proposal.valid_from, proposal.valid_to),
    )
    version = held.order_by("-valid", "-pk").first()
    return _as_target(version, moved=False, by_slot=True) if version else None


def _as_target(version: Version, *, moved: bool, by_slot: bool = False) -> Target:
    return Target(
        statement_id=version.statement_id,
        version_id=version.pk,
        text=version.text,
        valid_from=version.valid.lower,
        valid_to=version.valid.upper,
        believed_since=version.tx_from,
        believed=version.tx_to is None,
        moved=moved,
        by_slot=by_slot,
    )


def text_of(proposal_id: int, *, space_id: int) -> str:
    """This function will return a proposal's text, '' for one of another space. One query."""
    found = Proposal.objects.filter(pk=proposal_id, space_id=space_id)
    return found.values_list("text", flat=True).first() or ""


def comparison(proposal_id: int, *, space_id: int) -> str | None:
    """This function will return what words under edit are compared with.

    **Shape**: the text they would replace, else the extraction as it came; None for no proposal.
    """
    proposal = (
        Proposal.objects.filter(pk=proposal_id, space_id=space_id)
        .select_related("target_seen")
        .first()
    )
    if proposal is None:
        return None
    target = target_of(proposal)
    return target.text if target else str(proposal.original.get("text", proposal.text))
