"""The one way into the log."""

from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from psycopg.types.json import Jsonb

from knowledge.results import Actor

_APPEND = "SELECT audit_append(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


def _dumps(value: Any) -> str:
    return _ENCODER.encode(value)


_ENCODER = DjangoJSONEncoder(ensure_ascii=False)


def append(
    *,
    space_id: int | None,
    by: Actor,
    action: str,
    outcome: str = "ok",
    object_type: str = "",
    object_id: str = "",
    subject_id: int | None = None,
    decision_id: UUID | None = None,
    reason_code: str = "",
    payload: dict[str, Any] | None = None,
) -> int:
    """Append one event to the space's chain, as a step of a command.

    Not durable by itself: it commits with the command around it. ``space_id`` None means the
    system chain. Values and free text belong in ``payload``, which erasure can clear.

    **Returns**: the event's ``seq``.
    """
    parameters: list[Any] = [
        space_id,
        by.kind,
        by.id,
        by.channel,
        action,
        outcome,
        object_type,
        object_id,
        subject_id,
        decision_id,
        by.request_id,
        reason_code,
        None if payload is None else Jsonb(payload, dumps=_dumps),
    ]
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, parameters)
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def hold(space_id: int) -> None:
    """Take the lock of a space's chain early, as a step: after rows, and before writing.

    For commands that look for tombstones and then write: no erasure ends between.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM knowledge_ledger WHERE space_id = %s FOR NO KEY UPDATE", [space_id]
        )


@transaction.atomic(durable=True)
def record(
    *,
    space_id: int | None,
    by: Actor,
    action: str,
    outcome: str = "ok",
    object_type: str = "",
    object_id: str = "",
    subject_id: int | None = None,
    reason_code: str = "",
    payload: dict[str, Any] | None = None,
) -> int:
    """Write one event in a transaction of its own: reads, denials, failures."""
    return append(
        space_id=space_id,
        by=by,
        action=action,
        outcome=outcome,
        object_type=object_type,
        object_id=object_id,
        subject_id=subject_id,
        reason_code=reason_code,
        payload=payload,
    )
