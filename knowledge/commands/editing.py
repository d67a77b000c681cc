"""What a person changes of a proposal before approving it: steps on the locked row."""

from dataclasses import asdict
from typing import Any

from knowledge.commands import recognising
from knowledge.commands.content import check_content
from knowledge.fingerprints import fingerprint
from knowledge.models import Proposal, ProposalVector
from knowledge.results import Actor, Edits


def apply_edits(proposal: Proposal, *, edits: Edits | None, by: Actor) -> dict[str, Any]:
    """Write the edits to the locked row; return what the changed fields held before.

    **Raises**: InvalidInput, InvalidPeriod; BlockedByTombstone for what was erased.
    """
    if edits is None:
        return {}
    wanted = only_set(edits)
    if wanted.pop("clear_valid_to", False):
        wanted["valid_to"] = None
    before = {
        name: getattr(proposal, name)
        for name, value in wanted.items()
        if getattr(proposal, name) != value
    }
    for name in before:
        setattr(proposal, name, wanted[name])
    if not before:
        return {}
    check_content(proposal)
    recognising.check_believable(recognising.value_of(proposal))
    if "valid_from" in before:
        proposal.start_basis = "stated"
    if "text" in before:
        ProposalVector.objects.filter(proposal=proposal).delete()
    proposal.fingerprint = fingerprint(proposal.attribute, proposal.value or proposal.text)
    proposal.save(update_fields=[*before, "start_basis", "fingerprint"])
    if by.user_id is not None:
        proposal.contributors.add(by.user_id)
    return before


def only_set(edits: Edits | None) -> dict[str, Any]:
    """List what the edits change."""
    if edits is None:
        return {}
    return {
        name: value
        for name, value in asdict(edits).items()
        if value is not None and value is not False
    }
