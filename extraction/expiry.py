"""Beliefs that a space's policy lets expire: looked for once a day by the worker."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from knowledge.commands import ending, governing
from knowledge.results import Lease

AGAIN_AFTER = timedelta(days=1)


def expire_job(payload: dict[str, Any], held: Lease) -> bool:
    """End what is due in a space, and ask for the same tomorrow while the policy stands.

    **Returns**: whether more is due than one round ends.
    """
    space_id, now = int(payload["space_id"]), timezone.now()
    if ending.expire(space_id=space_id, now=now):
        return True
    policy = governing.current_policy(space_id)
    if policy is not None and policy.expire_after_days is not None:
        ending.ask_again(space_id=space_id, now=now, delay=AGAIN_AFTER)
    return False
