"""Somebody in a hurry, in a process of their own: approves, changes, rejects, undoes, for a time.

Run by ``workbench.benches.child``. Every refusal is counted by its code; anything that is not a
named conflict is reported as ``unhandled``, and fails the test that started this.
"""

import random
import time
import traceback
import uuid
from collections import Counter
from datetime import timedelta
from typing import Any

from django.utils import timezone

from knowledge.commands import review, undoing
from knowledge.errors import Conflict
from knowledge.models import Decision, Proposal, Version
from knowledge.results import Actor, Decided, Review
from knowledge.trust import TrustState, WhatHappened

W = WhatHappened
ENOUGH_UNHANDLED = 5


class Hurry:
    """One person at work on proposals that others work on, too."""

    def __init__(self, *, user_id: int, proposals: list[int], seed: int) -> None:
        self.by = Actor(kind="user", id=str(user_id), channel="command", user_id=user_id)
        self.proposals = proposals
        self.chosen = random.Random(seed)  # noqa: S311 - no secrets

    def act(self) -> Decided | None:
        """Look at one proposal and decide about it as it stood; None where there is no act."""
        proposal = Proposal.objects.get(pk=self.choose())
        seen = Review(proposal.pk, proposal.version, uuid.uuid4())
        now = timezone.now()
        if proposal.state == TrustState.APPROVED:
            return self.undo(proposal)
        if proposal.state == TrustState.REJECTED:
            return review.propose_anyway(review=seen, by=self.by, now=now)
        what = self.chosen.random()
        if what < 0.08:
            return review.reject(review=seen, reason_code="misread", by=self.by, now=now)
        if what < 0.14:
            return review.defer(review=seen, until=None, by=self.by, now=now)
        return self.approve(proposal, seen=seen)

    def choose(self) -> int:
        """Choose a proposal, every other time among the few that all are after."""
        hot = self.proposals[: max(1, len(self.proposals) // 15)]
        return self.chosen.choice(self.chosen.choice((hot, self.proposals)))

    def approve(self, proposal: Proposal, *, seen: Review) -> Decided:
        """Approve what waits, against whatever is believed about the same thing just now."""
        held = list(
            Version.objects.current()
            .filter(subject_id=proposal.subject_id, about=proposal.about)
            .order_by("pk")
        )
        target = self.chosen.choice(held) if held else None
        ways = [W.CHANGED] * 5 + [W.NEVER_SO, W.BOTH_TRUE, W.CANNOT_TELL, W.CONFIRMATION]
        happened = self.chosen.choice(ways) if target else W.NEW
        return review.approve(
            review=seen,
            happened=happened,
            by=self.by,
            now=timezone.now(),
            target_version_id=target.pk if target else None,
            changed_at=proposal.valid_from + timedelta(days=self.chosen.randrange(300)),
        )

    def undo(self, proposal: Proposal) -> Decided | None:
        """Take back the approval, where it was one's own."""
        last = Decision.objects.filter(proposal=proposal, kind="approve").order_by("-seq").first()
        if last is None or last.by_id != self.by.user_id:
            return None
        return undoing.undo(
            decision_id=last.pk, request_id=uuid.uuid4(), by=self.by, now=timezone.now()
        )


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Act until the time is over, and say what was acknowledged, refused and unhandled."""
    hurry = Hurry(user_id=task["user_id"], proposals=task["proposals"], seed=task["seed"])
    acknowledged: list[str] = []
    kinds: Counter[str] = Counter()
    conflicts: Counter[str] = Counter()
    unhandled: list[str] = []
    ends = time.monotonic() + task["seconds"]
    while time.monotonic() < ends and len(unhandled) < ENOUGH_UNHANDLED:
        try:
            decided = hurry.act()
        except Conflict as conflict:
            conflicts[conflict.code] += 1
        except Exception:  # noqa: BLE001 - whatever it is, the test must hear of it
            unhandled.append(traceback.format_exc())
        else:
            if decided is not None:
                acknowledged.append(str(decided.decision_id))
                kinds[decided.kind] += 1
    return {
        "acknowledged": acknowledged,
        "kinds": kinds,
        "conflicts": conflicts,
        "unhandled": unhandled,
    }
