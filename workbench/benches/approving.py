"""A curator at work in a process of its own: what ``child`` runs for approvals."""

import uuid
from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from knowledge.commands import review
from knowledge.errors import Conflict
from knowledge.results import Actor, Decided, Review
from knowledge.trust import WhatHappened


def prepare(task: dict[str, Any]) -> dict[str, Any]:
    """Approve the pairs meant for warming up; the answer is as that of ``work``."""
    return _approve_pairs(task["warm_up"], user_id=task["user_id"])


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Approve each pair of proposals: the first as new, the second as what it changed to.

    **Shape**: the task names ``user_id`` and ``pairs`` of proposal ids. The answer holds the
    ids of the decisions ``acknowledged``, those made while warming up as ``prepared``, and the
    ``conflicts`` by code.
    """
    done = _approve_pairs(task["pairs"], user_id=task["user_id"])
    return done | {"prepared": task["prepared"]["acknowledged"]}


def _approve_pairs(pairs: Iterable[tuple[int, int]], *, user_id: int) -> dict[str, Any]:
    by = Actor(kind="user", id=str(user_id), channel="command", user_id=user_id)
    acknowledged: list[str] = []
    conflicts: Counter[str] = Counter()
    for first, second in pairs:
        try:
            made = _approve(first, by=by, happened=WhatHappened.NEW)
            acknowledged.append(str(made.decision_id))
            made = _approve(
                second, by=by, happened=WhatHappened.CHANGED, target_version_id=made.version_id
            )
            acknowledged.append(str(made.decision_id))
        except Conflict as conflict:  # somebody else was first
            conflicts[conflict.code] += 1
    return {"acknowledged": acknowledged, "conflicts": conflicts}


def _approve(
    proposal_id: int,
    *,
    by: Actor,
    happened: WhatHappened,
    target_version_id: int | None = None,
) -> Decided:
    return review.approve(
        review=Review(proposal_id, 1, uuid.uuid4()),
        happened=happened,
        by=by,
        now=timezone.now(),
        target_version_id=target_version_id,
    )
