"""A fingerprint of what a card showed, stored with the decision made on it."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

from knowledge.queries.review import ReviewCard

RECIPE = "card-1"
"""Names what the digest covers and how; a change of either needs another name."""

_FIELDS = (
    "id version text about attribute value memory_type criticality modality language valid_from "
    "valid_to start_basis date_phrase reason aside_reason stale_reason confidence surprise "
    "unexpected flags kind target waits_on expected words nearest elsewhere first"
).split()


def digest_of(card: ReviewCard) -> str:
    """Fingerprint what was before a person's eyes.

    **Shape**: SHA-256 in small hexadecimal digits over the recipe's name and the card's fields as
    JSON with sorted keys, in UTF-8. Instants are written in ISO 8601. Decisions made so far, and
    counts of what waits elsewhere, are no part of it.
    """
    read = asdict(card)
    shown: dict[str, Any] = {name: read[name] for name in _FIELDS}
    plain = json.dumps(
        {"recipe": RECIPE, **shown},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        default=_plain,
    )
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
