"""What an erasure says afterwards: who, when, how much, and what no command can reach at once."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from knowledge.models import ErasureRequest

FOLLOWS_LATER = (
    "backups and replicas, until they are replaced or replay_erasures has run on them",
    "the write-ahead log and pages PostgreSQL has not vacuumed yet",
    "log files of the servers, until they are rotated",
    "the memory of running processes, until they start again",
    "what agents received before, outside of this system",
)


def certify(
    request: ErasureRequest,
    *,
    counts: Mapping[str, int],
    ids: Mapping[str, Sequence[int]],
    tombstones: Sequence[int],
    ledger: Mapping[str, Any],
    now: datetime,
) -> dict[str, Any]:
    """Write the certificate of an erasure that is being carried out: identifiers, never words.

    **Shape**: ``sha256`` is that of all the rest, as JSON with sorted keys.
    """
    asked, confirmed = request.requested_by, request.confirmed_by
    certificate = {
        "id": str(request.pk),
        "kind": request.kind,
        "reason": request.reason_code,
        "requested_by": asked.get_username() if asked else None,
        "requested_at": request.requested_at.isoformat(),
        "confirmed_by": confirmed.get_username() if confirmed else None,
        "confirmed_at": request.confirmed_at.isoformat() if request.confirmed_at else None,
        "done_at": now.isoformat(),
        "replayed": request.replayed,
        "counts": dict(counts),
        "ids": dict(ids),
        "tombstones": list(tombstones),
        "follows_later": list(FOLLOWS_LATER),
        "ledger": dict(ledger),
    }
    text = json.dumps(certificate, sort_keys=True)
    return certificate | {"sha256": hashlib.sha256(text.encode()).hexdigest()}
