"""The attributes of a space, and how much is believed under each."""

from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from knowledge.models import Attribute

_USES = Path(__file__).with_name("attribute_uses.sql").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """One attribute of a space.

    **Shape**: ``is_registered`` is False for one that statements use and nobody registered: it
    holds many. ``believed`` counts current statements; ``crowded`` counts whoever holds several
    of them for the same time.
    """

    key: str
    single_valued: bool
    is_registered: bool
    believed: int = 0
    crowded: int = 0


def attributes_of(space_id: int) -> tuple[AttributeRow, ...]:
    """Return a space's attributes, registered or in use, by key. **Cost**: two queries."""
    registered = dict(
        Attribute.objects.filter(space_id=space_id).values_list("key", "single_valued")
    )
    with connection.cursor() as cursor:
        cursor.execute(_USES, [space_id])
        uses = {key: (believed, crowded) for key, believed, crowded in cursor.fetchall()}
    return tuple(
        AttributeRow(key, registered.get(key, False), key in registered, *uses.get(key, (0, 0)))
        for key in sorted({*registered, *uses})
    )
