"""A curator who approves everything: for evaluation spaces, and nowhere else."""

import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from knowledge.commands import believing, review
from knowledge.errors import InvalidInput, KnowledgeError, NotAllowed, SlotTaken, TargetMoved
from knowledge.models import Proposal, ProposalKind, Space, Version
from knowledge.results import Actor, Review
from knowledge.trust import TrustState, WhatHappened

_AS_SUGGESTED = {
    ProposalKind.NEW: WhatHappened.NEW,
    ProposalKind.UPDATE: WhatHappened.CHANGED,
    ProposalKind.CONTRADICTION: WhatHappened.NEVER_SO,
    ProposalKind.CONFIRMATION: WhatHappened.CONFIRMATION,
}


@dataclass(frozen=True, slots=True)
class ApprovedAll:
    """How many were approved, by what was said to have happened, and what was left and why."""

    approved: dict[str, int]
    left: dict[str, int]

    @property
    def total(self) -> int:
        """Return how many were approved."""
        return sum(self.approved.values())


def approve_all(*, space_id: int, by: Actor, now: datetime) -> ApprovedAll:
    """Approve whatever is pending, as its engine suggested, oldest first.

    What cannot be as suggested, because its target moved or its slot is taken, is approved beside
    what is there; what cannot be approved at all stays pending and is counted by its reason.

    **Raises**: NotAllowed unless the space was made for evaluation; NotFound.
    """
    space = Space.objects.filter(pk=space_id).first()
    if space is None or not space.evaluation:
        raise NotAllowed(
            "Only a space made for evaluation may be approved in bulk. "
            "Make one with: manage.py create_space NAME --evaluation"
        )
    approved: Counter[str] = Counter()
    left: Counter[str] = Counter()
    pending = Proposal.objects.filter(space_id=space_id, state=TrustState.PENDING)
    for proposal_id in list(pending.order_by("pk").values_list("pk", flat=True)):
        try:
            approved[_approve(proposal_id, by=by, now=now)] += 1
        except KnowledgeError as error:
            left[error.code] += 1
    return ApprovedAll(approved=dict(approved), left=dict(left))


def _approve(proposal_id: int, *, by: Actor, now: datetime) -> str:
    proposal = Proposal.objects.get(pk=proposal_id)
    target = _target(proposal)
    happened = _AS_SUGGESTED[ProposalKind(proposal.kind_suggested)]
    if target is None and happened in believing.NEEDS_TARGET:
        happened = WhatHappened.NEW
    try:
        _decide(proposal, happened=happened, target=target, by=by, now=now)
    except (TargetMoved, SlotTaken, InvalidInput):
        happened = WhatHappened.BOTH_TRUE
        _decide(proposal, happened=happened, target=None, by=by, now=now)
    return happened.value


def _decide(
    proposal: Proposal,
    *,
    happened: WhatHappened,
    target: Version | None,
    by: Actor,
    now: datetime,
) -> None:
    review.approve(
        review=Review(
            proposal_id=proposal.pk, seen_version=proposal.version, request_id=uuid.uuid4()
        ),
        happened=happened,
        by=by,
        now=now,
        target_version_id=target.pk if target and happened in believing.NEEDS_TARGET else None,
    )


def _target(proposal: Proposal) -> Version | None:
    """What it would end or confirm: as seen, else what the statement has become."""
    if proposal.target_id is None:
        return None
    current = Version.objects.current().filter(statement_id=proposal.target_id)
    versions = list(current.order_by("-valid", "-pk"))
    seen = [version for version in versions if version.pk == proposal.target_seen_id]
    return next(iter(seen + versions), None)
