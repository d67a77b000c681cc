"""The one table of trust changes: commands, database guard, test and diagram come from it."""

from django.db import models

from knowledge.errors import TransitionRefused


class TrustState(models.TextChoices):
    """Where a proposal stands between the words and belief."""

    SET_ASIDE = "set_aside", "Set aside"
    PENDING = "pending", "Pending"
    DEFERRED = "deferred", "Deferred"
    AWAITING_SECOND = "awaiting_second", "Awaiting a second review"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    WITHDRAWN = "withdrawn", "Withdrawn"


class WhatHappened(models.TextChoices):
    """What a curator says happened; these are different truths."""

    NEW = "new", "new"
    CHANGED = "changed", "changed from that day"
    NEVER_SO = "never_so", "was never so"
    BOTH_TRUE = "both_true", "both are true"
    CANNOT_TELL = "cannot_tell", "cannot tell"
    CONFIRMATION = "confirmation", "known already"


REJECT_REASONS = ("not_said", "misread", "not_durable", "sensitive", "someone_else", "other")
"""Why a curator rejects."""

_S = TrustState

TRANSITIONS: dict[TrustState, frozenset[TrustState]] = {
    _S.SET_ASIDE: frozenset({_S.PENDING, _S.WITHDRAWN}),
    _S.PENDING: frozenset(
        {_S.APPROVED, _S.REJECTED, _S.DEFERRED, _S.AWAITING_SECOND, _S.WITHDRAWN}
    ),
    _S.DEFERRED: frozenset(
        {_S.PENDING, _S.APPROVED, _S.REJECTED, _S.AWAITING_SECOND, _S.WITHDRAWN}
    ),
    _S.AWAITING_SECOND: frozenset(
        {_S.APPROVED, _S.REJECTED, _S.PENDING, _S.DEFERRED, _S.WITHDRAWN}
    ),
    _S.APPROVED: frozenset({_S.PENDING}),
    _S.REJECTED: frozenset({_S.PENDING}),
    _S.WITHDRAWN: frozenset(),
}

FIRST_STATES = frozenset({_S.SET_ASIDE, _S.PENDING})
WAITING_STATES = frozenset({_S.PENDING, _S.DEFERRED, _S.AWAITING_SECOND})


def is_allowed(before: str, after: str) -> bool:
    """Say whether the table has this change."""
    return TrustState(after) in TRANSITIONS[TrustState(before)]


def check_transition(before: str, after: str) -> None:
    """Refuse a change the table does not have.

    **Raises**: TransitionRefused.
    """
    if not is_allowed(before, after):
        raise TransitionRefused(
            f"A proposal that is {TrustState(before).label.lower()} cannot become "
            f"{TrustState(after).label.lower()}."
        )
