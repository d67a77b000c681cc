"""Curators who decide by a rule: for evaluation spaces, and nowhere else."""

import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

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
REJECTED = "rejected"
NOTE = "decided by rule, for an evaluation"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What to do with a proposal: reject it, or approve it as something that happened."""

    happened: WhatHappened | None
    target: Version | None = None
    note: str = ""


Rule = Callable[[Proposal], Ruling]


@dataclass(frozen=True, slots=True)
class ApprovedAll:
    """How many were approved, by what was said to have happened, and what was left and why."""

    approved: dict[str, int]
    left: dict[str, int]
    rejected: int = 0

    @property
    def total(self) -> int:
        """Return how many were approved."""
        return sum(self.approved.values())


def approve_all(*, space_id: int, by: Actor, now: datetime) -> ApprovedAll:
    """Approve whatever is pending, as its engine suggested, in the order of the words.

    What cannot be as suggested, because its target moved or its slot is taken, is approved beside
    what is there; what cannot be approved at all stays pending and is counted by its reason.

    **Raises**: NotAllowed unless the space was made for evaluation; NotFound.
    """
    return decide_all(space_id=space_id, by=by, now=now, rule=as_suggested)


def decide_all(*, space_id: int, by: Actor, now: datetime, rule: Rule) -> ApprovedAll:
    """Decide about whatever is pending by a rule, in the order in which its words were said.

    So belief grows as the conversation did, and "as known then" can be asked of it.

    **Raises**: NotAllowed unless the space was made for evaluation.
    """
    space = Space.objects.filter(pk=space_id).first()
    if space is None or not space.evaluation:
        raise NotAllowed(
            "Only a space made for evaluation may be approved in bulk. "
            "Make one with: manage.py create_space NAME --evaluation"
        )
    decided: Counter[str] = Counter()
    left: Counter[str] = Counter()
    pending = Proposal.objects.filter(space_id=space_id, state=TrustState.PENDING)
    ordered = pending.annotate(said_at=Max("evidence__message__sent_at")).order_by("said_at", "pk")
    for proposal_id in list(ordered.values_list("pk", flat=True)):
        try:
            decided[_decide(proposal_id, rule=rule, by=by, now=now)] += 1
        except KnowledgeError as error:
            left[error.code] += 1
    rejected = decided.pop(REJECTED, 0)
    return ApprovedAll(approved=dict(decided), left=dict(left), rejected=rejected)


def as_suggested(proposal: Proposal) -> Ruling:
    """Rule as the engine suggested, on what it named or what that has become."""
    target = target_of(proposal)
    happened = _AS_SUGGESTED[ProposalKind(proposal.kind_suggested)]
    if target is None and happened in believing.NEEDS_TARGET:
        happened = WhatHappened.NEW
    return Ruling(happened, target)


def target_of(proposal: Proposal) -> Version | None:
    """Find what it would end or confirm: as seen, else what the statement has become."""
    if proposal.target_id is None:
        return None
    current = Version.objects.current().filter(statement_id=proposal.target_id)
    versions = list(current.order_by("-valid", "-pk"))
    seen = [version for version in versions if version.pk == proposal.target_seen_id]
    return next(iter(seen + versions), None)


def _decide(proposal_id: int, *, rule: Rule, by: Actor, now: datetime) -> str:
    proposal = Proposal.objects.get(pk=proposal_id)
    ruling = rule(proposal)
    if ruling.happened is None:
        review.reject(review=_review(proposal), reason_code="not_durable", by=by, now=now)
        return REJECTED
    try:
        _approve(proposal, ruling=ruling, by=by, now=now)
    except (TargetMoved, SlotTaken, InvalidInput):
        ruling = Ruling(WhatHappened.BOTH_TRUE, note=ruling.note)
        _approve(proposal, ruling=ruling, by=by, now=now)
    return str(ruling.happened)


def _approve(proposal: Proposal, *, ruling: Ruling, by: Actor, now: datetime) -> None:
    if ruling.happened is None:
        return
    target = ruling.target if ruling.happened in believing.NEEDS_TARGET else None
    review.approve(
        review=_review(proposal, note=ruling.note),
        happened=ruling.happened,
        by=by,
        now=now,
        target_version_id=target.pk if target else None,
    )


def _review(proposal: Proposal, *, note: str = "") -> Review:
    return Review(
        proposal_id=proposal.pk,
        seen_version=proposal.version,
        request_id=uuid.uuid4(),
        note=note or NOTE,
    )
