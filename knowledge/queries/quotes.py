"""The words that approved statements rest on."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import connection

_SQL = Path(__file__).with_name("quotes.sql").read_text()


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of one message. **Units**: ``start`` and ``end`` are code points, half-open."""

    text: str
    role: str
    start: int
    end: int
    message_id: int
    message_external_id: str
    message_kind: str
    speaker: str
    sent_at: datetime
    sent_at_known: bool
    conversation_id: int


def quotes_of(version_ids: Iterable[int], *, known_at: datetime) -> dict[int, tuple[Quote, ...]]:
    """Return the quotes of approved versions, earliest decision first.

    A version's own words count with it, those of a confirmation from its decision until that is
    undone. **Cost**: one query.
    """
    found: dict[int, dict[int, Quote]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(_SQL, {"version_ids": list(version_ids), "known_at": known_at})
        for version_id, evidence_id, text, role, start, end, *message, _ in cursor.fetchall():
            found[version_id][evidence_id] = Quote(text, role, start, end, *message)
    return {version_id: tuple(quotes.values()) for version_id, quotes in found.items()}
