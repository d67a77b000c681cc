"""Times as a phone or a spreadsheet shows them: in no zone, with day and month in some order."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo

from extraction.importers.errors import DayOrderNeeded, ZoneNeeded
from extraction.importers.source import Source
from extraction.importers.wording import check_year

ORDERS = ("dmy", "mdy", "ymd")
_REPEATEDLY = 2
_TOLERATED_DAYS = 1  # a message that was delivered late stands a day early among the others


@dataclass(slots=True)
class OrderOfDays:
    """Which order of day, month and year all the dates of a file allow.

    **Shape**: ``impossible`` counts, by order, dates that do not exist when read so;
    ``backwards`` those that lie before the one above them, for exports go from old to new.
    """

    impossible: Counter[str] = field(default_factory=Counter)
    backwards: Counter[str] = field(default_factory=Counter)
    example: str = ""
    _last: dict[str, date] = field(default_factory=dict)

    def see(self, read_as: Callable[[str], date | None], *, shown: str) -> None:
        """Take one more date of the file, which ``read_as`` reads in an order."""
        self.example = self.example or shown
        for order in ORDERS:
            day = read_as(order)
            if day is None:
                self.impossible[order] += 1
                continue
            last = self._last.get(order, day)
            self.backwards[order] += (last - day).days > _TOLERATED_DAYS
            self._last[order] = day

    def settled(self, source: Source) -> str:
        """Give the order that the dates prove, or the one the person says.

        The file's proof comes before the person's word. Two-digit years first are rare, and nearly
        any date can be read so: they are believed only where both other orders fail repeatedly.

        **Raises**: DayOrderNeeded where day first and month first are equally good.
        """
        if not self.example:
            return ORDERS[0]
        merit = {order: (self.impossible[order], self.backwards[order]) for order in ORDERS}
        day_first, month_first = merit["dmy"], merit["mdy"]
        if sum(merit["ymd"]) + _REPEATEDLY <= min(sum(day_first), sum(month_first)):
            return "ymd"
        if day_first != month_first:
            return "dmy" if day_first < month_first else "mdy"
        if source.options.day_first is None:
            raise DayOrderNeeded(source.name, example=self.example)
        return "dmy" if source.options.day_first else "mdy"


def zone_of(source: Source) -> tzinfo:
    """Give the zone that the person says the times are in. **Raises**: ZoneNeeded."""
    if source.options.zone is None:
        raise ZoneNeeded(source.name)
    return source.options.zone


class LocalClock:
    """Local times of a file, one after the other, made UTC.

    In the night the clocks go back an hour comes twice; it is the second time once the times of
    the file have stepped back within it.
    """

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._last: datetime | None = None  # the last time, if it was in an hour that comes twice
        self._is_second = False

    def utc(self, local: datetime) -> datetime:
        """Give the instant of a time without a zone.

        **Units**: aware UTC. **Raises**: Unfit for years that no clock of a message shows.
        """
        check_year(local)
        first = local.replace(tzinfo=self._zone)
        second = first.replace(fold=1)
        earlier, later = first.utcoffset(), second.utcoffset()
        comes_twice = earlier is not None and later is not None and earlier > later
        if not comes_twice:
            self._last, self._is_second = None, False
            return first.astimezone(UTC)
        if self._last is None or self._last.date() != local.date():
            self._is_second = False
        elif local < self._last:
            self._is_second = True
        self._last = local
        return (second if self._is_second else first).astimezone(UTC)
