"""What finding a date gives."""

from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from extraction.date_roles import Role
from extraction.errors import UnknownZone


@dataclass(frozen=True, slots=True)
class FoundDate:
    """One date phrase of a text.

    **Shape**: ``start``/``end`` are code points of ``phrase``, its preposition included.
    ``role`` says how the period bounds a claim; ``exclusive`` that the bound lies beyond the
    period ("after 2020", "before May"). ``relative``: the message's time was needed, if only for
    the year (``yearless``).
    ``literal`` counts to the day, as a scheduler would (see ``Period``).
    Unresolved phrases have neither ``from_`` nor ``to``.
    **Units**: ``from_``/``to`` aware UTC, half-open, whole days in the zone asked for.
    """

    phrase: str
    start: int
    end: int
    from_: datetime | None
    to: datetime | None
    granularity: str
    role: Role
    future: bool = False
    ambiguous: bool = False
    resolved: bool = True
    relative: bool = False
    yearless: bool = False
    exclusive: bool = False
    language: str = "en"
    literal: tuple[date, date] | None = None

    @property
    def starts_at(self) -> datetime | None:
        """When a claim with this phrase begins; nothing for "until"."""
        if self.role == "until":
            return None
        return self.to if self.exclusive else self.from_

    @property
    def ends_at(self) -> datetime | None:
        """When a claim with this phrase ends; only "until" and "from … to …" say so."""
        if self.role not in {"until", "between"}:
            return None
        return self.from_ if self.exclusive else self.to


@lru_cache(maxsize=64)
def zone_named(zone: str) -> ZoneInfo:
    """Look up a time zone. **Raises**: ``UnknownZone``."""
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownZone(zone) from error
