"""Valid periods: half-open, aware UTC, finite ends or open, never empty."""

from datetime import UTC, date, datetime, time, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

from psycopg.types.range import TimestamptzRange

from knowledge.errors import InvalidPeriod

Period: TypeAlias = TimestamptzRange


def check_instant(value: datetime, *, field: str) -> datetime:
    """Return the instant in UTC, refusing one without a time zone.

    **Raises**: InvalidPeriod.
    """
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidPeriod(
            f"{field} has no time zone. Write it with an offset, such as 2026-03-02T00:00:00Z.",
            field=field,
        )
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidPeriod(f"{field} lies outside the years 1 to 9999.", field=field) from error


def make_period(start: datetime, end: datetime | None) -> Period:
    """Build ``[start, end)``; an ``end`` of None leaves it open.

    **Raises**: InvalidPeriod when a side is naive, or the end is not after the start.
    """
    start = check_instant(start, field="valid_from")
    if end is not None:
        end = check_instant(end, field="valid_to")
        if end <= start:
            raise InvalidPeriod(
                "The end of a period must be after its start. "
                f"Given: from {start.isoformat()} to {end.isoformat()}.",
                field="valid_to",
            )
    return TimestamptzRange(start, end, "[)")


def start_of_day(day: date, zone: str) -> datetime:
    """Return the instant (UTC) at which the day begins in the zone."""
    return datetime.combine(day, time.min, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def whole_day(day: date, zone: str) -> tuple[datetime, datetime]:
    """Return the half-open interval (UTC) that the day covers in the zone."""
    return start_of_day(day, zone), start_of_day(day + timedelta(days=1), zone)


def remnants(
    old: Period, *, start: datetime, end: datetime | None
) -> tuple[Period | None, Period | None]:
    """Return what remains of ``old`` left and right of ``[start, end)``.

    **Shape**: (left, right); None where nothing remains.
    """
    left = right = None
    if old.lower is not None and old.lower < start:
        stop = start if old.upper is None else min(start, old.upper)
        left = TimestamptzRange(old.lower, stop, "[)")
    if end is not None and (old.upper is None or old.upper > end):
        begin = end if old.lower is None else max(end, old.lower)
        right = TimestamptzRange(begin, old.upper, "[)")
    return left, right
