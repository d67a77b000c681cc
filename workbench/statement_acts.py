"""From a sound form of a statement's page to one command of the core."""

from datetime import datetime

from knowledge.commands import ending
from knowledge.results import Decided, StatementReview
from workbench.access import Seat
from workbench.acts import actor
from workbench.statement_forms import EndForm, MergeForm, SettleForm, StatementActForm


def retract(form: EndForm, *, seat: Seat, now: datetime) -> Decided:
    """Withdraw a belief. **Raises**: as ``ending.retract``."""
    return ending.retract(review=_seen(form), by=actor(seat), now=now)


def refute(form: EndForm, *, seat: Seat, now: datetime) -> Decided:
    """End a belief because it was wrong. **Raises**: as ``ending.refute``."""
    return ending.refute(review=_seen(form), by=actor(seat), now=now)


def restore(form: StatementActForm, *, seat: Seat, now: datetime) -> Decided:
    """Believe again what ended. **Raises**: as ``ending.restore``."""
    return ending.restore(review=_seen(form), by=actor(seat), now=now)


def merge(form: MergeForm, *, seat: Seat, now: datetime) -> Decided:
    """Say that a statement is the same as another. **Raises**: as ``ending.merge``."""
    return ending.merge(
        review=_seen(form), into_version_id=form.cleaned_data["into"], by=actor(seat), now=now
    )


def settle(form: SettleForm, *, contest_id: int, seat: Seat, now: datetime) -> Decided:
    """Resolve a contest. **Raises**: as ``ending.settle``."""
    return ending.settle(
        contest_id=contest_id,
        right_version_id=form.right_version_id,
        review=_seen(form),
        by=actor(seat),
        now=now,
    )


def _seen(form: StatementActForm) -> StatementReview:
    given = form.cleaned_data
    return StatementReview(
        version_id=given["version_id"],
        request_id=given["request_id"],
        reason_code=given.get("reason", ""),
        note=given.get("note", ""),
        opened_at=given["opened_at"],
    )
