"""What the log costs: one event, durable, for each transaction, beside a plain insert."""

from typing import Any

from knowledge.commands import audit
from knowledge.results import SYSTEM


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Append ``rows`` events with a payload each, as the edges log a refusal or a read."""
    for number in range(task["rows"]):
        audit.record(
            space_id=task["space_id"],
            by=SYSTEM,
            action="bench.event",
            object_type="proposal",
            object_id=str(number),
            payload={"text": f"Somebody said fact {number} once."},
        )
    return {"rows": task["rows"]}
