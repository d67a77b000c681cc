"""Who agreed first to what awaits a second person, and who had a hand in it."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.models import DecisionKind, Proposal
from knowledge.trust import TrustState


@dataclass(frozen=True, slots=True)
class FirstApproval:
    """The first of two approvals.

    **Shape**: ``happened`` is a word of ``WhatHappened``; ``contributors`` are the ids of whoever
    edited, split or proposed by hand, and so may not be the second.
    """

    by: str
    by_id: int | None
    at: datetime | None
    happened: str
    note: str
    contributors: frozenset[int]


def first_approval(proposal: Proposal) -> FirstApproval | None:
    """Read who approved first. **Cost**: two queries, none for what awaits nobody."""
    if proposal.state != TrustState.AWAITING_SECOND:
        return None
    first = (
        proposal.decisions.filter(kind=DecisionKind.APPROVE, state_after=TrustState.AWAITING_SECOND)
        .select_related("by")
        .order_by("-seq")
        .first()
    )
    if first is None:
        return None
    return FirstApproval(
        by=first.by.get_username() if first.by else "",
        by_id=proposal.first_approver_id,
        at=first.at,
        happened=first.reason_code,
        note=first.note,
        contributors=frozenset(proposal.contributors.values_list("pk", flat=True)),
    )
