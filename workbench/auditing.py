"""How the edges write to the log what the core did not do: in a transaction of its own, or not at
all, and then the answer is 503.
"""

from typing import Any

from django.db import DatabaseError, InterfaceError

from knowledge.commands import audit
from knowledge.errors import KnowledgeError, NotAllowed
from knowledge.texts import keepable
from workbench.queries import refusals

LONGEST_ACTION, LONGEST_TYPE, LONGEST_ID = 64, 32, 64


class AuditUnavailable(Exception):
    """The log could not be written, so what would have been logged did not happen."""


def log(**event: Any) -> None:
    """Write an audit event, cut to what its columns hold.

    **Raises**: AuditUnavailable.
    """
    for name, most in (
        ("action", LONGEST_ACTION),
        ("object_type", LONGEST_TYPE),
        ("object_id", LONGEST_ID),
        ("reason_code", LONGEST_ACTION),
    ):
        if name in event:
            event[name] = keepable(event[name])[:most]
    try:
        audit.record(**event)
    except (DatabaseError, InterfaceError) as error:
        raise AuditUnavailable("The audit log cannot be written.") from error


def log_stranger(*, address: str, **event: Any) -> None:
    """Log a refusal that anybody on the network can cause, as often as there is room for.

    The last for which there was room says that no more of this minute are listed.

    **Raises**: AuditUnavailable.
    """
    try:
        room = refusals.room_for(
            space_id=event["space_id"], action=event["action"], address=address
        )
    except (DatabaseError, InterfaceError) as error:
        raise AuditUnavailable("The audit log cannot be read.") from error
    if room == 0:
        return
    payload = {**(event.pop("payload", None) or {}), "address": address}
    if room == 1:
        payload["more_this_minute"] = "not listed"
    log(**event, payload=payload)


def outcome_of(error: KnowledgeError) -> str:
    """Say whether an error of the core means that an act was denied, or that it failed."""
    return "denied" if isinstance(error, NotAllowed) else "failed"
