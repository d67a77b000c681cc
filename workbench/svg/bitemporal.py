"""The plot of a statement's two times: valid time across, belief time up, one box a version."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from knowledge.queries.lineage import VersionRow

WIDTH, HEIGHT = 460, 250
LEFT, RIGHT, TOP, BOTTOM = 84, 452, 14, 216
LEAST_SIDE = 3.0
_LETTER_WIDTH = 6.2
_ROOM_FOR_LABELS = 62.0


@dataclass(frozen=True, slots=True)
class Box:
    """One version as a rectangle, in user units of the drawing. ``tone`` is a class."""

    x: float
    y: float
    width: float
    height: float
    tone: str
    label: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing in user units."""

    boxes: tuple[Box, ...]
    valid_ticks: tuple[Tick, ...]
    belief_ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class _Axis:
    start: datetime
    end: datetime
    low: float
    high: float

    def at(self, moment: datetime) -> float:
        share = (moment - self.start) / (self.end - self.start)
        return round(self.low + share * (self.high - self.low), 1)


def plot(versions: Sequence[VersionRow], *, now: datetime, zone: str) -> Plot:
    """Place every version's period on both axes; open ends run to the edge.

    Days are written in ``zone``; where belief changed within a day, its hours are.
    """
    here = ZoneInfo(zone)
    starts = [row.valid_from for row in versions]
    ends = [row.valid_to for row in versions if row.valid_to]
    valid = _axis(starts, [*ends, now], low=LEFT, high=RIGHT, more=True)
    believed = [row.tx_from for row in versions if row.tx_from]
    belief = _axis(believed, [now], low=BOTTOM, high=TOP, more=False)
    changes = [*believed, *(row.tx_to for row in versions if row.tx_to)]
    return Plot(
        boxes=tuple(_box(row, valid, belief) for row in versions),
        valid_ticks=_ticks(
            [*starts, *ends], valid, apart=_ROOM_FOR_LABELS, written=_day_in(here, year=True)
        ),
        belief_ticks=_ticks(changes, belief, apart=14.0, written=_belief_writer(changes, here)),
    )


def _axis(
    starts: Sequence[datetime], ends: Sequence[datetime], *, low: float, high: float, more: bool
) -> _Axis:
    start, end = min(starts), max([*starts, *ends])
    length = max(end - start, timedelta(hours=1))
    return _Axis(start, start + length * (1.12 if more else 1.0), low, high)


def _box(row: VersionRow, valid: _Axis, belief: _Axis) -> Box:
    left = valid.at(row.valid_from)
    right = valid.at(row.valid_to) if row.valid_to else RIGHT
    bottom = belief.at(row.tx_from) if row.tx_from else BOTTOM
    top = belief.at(row.tx_to) if row.tx_to else TOP
    width, height = max(right - left - 2, LEAST_SIDE), max(bottom - top - 2, LEAST_SIDE)
    wrong = row.state in ("corrected", "refuted")
    tone = "wrong" if wrong else ("" if row.live else "ended")
    room = int((width - 14) / _LETTER_WIDTH)
    label = row.text if len(row.text) <= room else f"{row.text[: max(room - 1, 0)].rstrip()}…"
    return Box(
        x=left,
        y=round(bottom - height, 1),
        width=round(width, 1),
        height=round(height, 1),
        tone=f"{tone}{'' if row.valid_to else ' open'}".strip(),
        label=label if height > 14 and room > 4 else "",
    )


def _ticks(
    moments: Sequence[datetime], axis: _Axis, *, apart: float, written: Callable[[datetime], str]
) -> tuple[Tick, ...]:
    ticks: list[Tick] = []
    for moment in sorted(set(moments)):
        place = axis.at(moment)
        if all(abs(place - tick.at) >= apart for tick in ticks):
            ticks.append(Tick(place, written(moment)))
    return tuple(ticks)


def _belief_writer(moments: Sequence[datetime], zone: ZoneInfo) -> Callable[[datetime], str]:
    days = {moment.astimezone(zone).date() for moment in moments}
    if len(days) < len(set(moments)):
        return lambda moment: f"{moment.astimezone(zone):%d %b %H:%M}"
    return _day_in(zone, year=False)


def _day_in(zone: ZoneInfo, *, year: bool) -> Callable[[datetime], str]:
    def write(moment: datetime) -> str:
        local = moment.astimezone(zone)
        return f"{local.day} {local:%b %Y}" if year else f"{local.day} {local:%b %y}"

    return write
