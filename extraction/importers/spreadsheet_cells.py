"""What the cells of a table of messages mean: which column is which, who spoke as what, when."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import get_args

from extraction.importers.base import MessageKind
from extraction.importers.wording import Unfit, instant

_COLUMNS = {
    "conversation": (
        "conversation conversation_id thread thread_id session session_id chat chat_id channel"
        " ticket ticket_id dialogue dialog_id"
    ),
    "title": "title conversation_title subject topic",
    "id": "id message_id msg_id uuid",
    "speaker": "speaker name author sender from user user_name username participant nick",
    "role": "role kind sender_type author_role speaker_role message_type",
    "text": "text message content body utterance words message_text",
    "time": "time timestamp date datetime sent_at created_at sent created date_time",
}
_COLUMN_OF = {name: column for column, names in _COLUMNS.items() for name in names.split()}
_KIND_OF_ROLE: dict[str, MessageKind] = {
    **dict.fromkeys("user human customer client visitor me".split(), "user_message"),
    **dict.fromkeys("assistant agent bot ai model chatbot".split(), "agent_message"),
    **dict.fromkeys("system developer".split(), "system_message"),
    **dict.fromkeys("tool function".split(), "tool_result"),
    **{kind: kind for kind in get_args(MessageKind)},
}
_LOCAL = re.compile(
    r"(?P<first>\d{1,4})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<third>\d{1,4})"
    r"(?:(?:T|,?\s{1,3})(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<s>\d{2})(?:[.,]\d{1,9})?)?"
    r"\s{0,3}(?P<half>[ap]\.?m\.?)?)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\d{1,2}[:.]\d{2}(?!\d)")  # begins a time of day
_OFFSET = re.compile(r"(?<=\d)\s+(?:([+-]\d{2}:?\d{2})|UTC|GMT)$")  # as databases write it
_PLACES = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}  # of year, month, day
_YEAR_DIGITS = 4
_CENTURY = 2000
_HOURS_OF_A_HALF = 12


@dataclass(frozen=True, slots=True)
class Local:
    """A time without a zone. ``numbers`` are the three of its date, ``widths`` their digits."""

    numbers: tuple[int, int, int]
    widths: tuple[int, int, int]
    clock: time
    shown: str

    @property
    def is_year_first(self) -> bool:
        """Tell whether the date begins with a year of four digits: then its order is plain."""
        return self.widths[0] == _YEAR_DIGITS

    def day(self, order: str) -> date | None:
        """Read the date in an order; None where there is no such day."""
        year, month, day = (self.numbers[place] for place in _PLACES[order])
        width = self.widths[_PLACES[order][0]]
        if width not in {2, _YEAR_DIGITS}:
            return None
        try:
            return date(year + (_CENTURY if width == 2 else 0), month, day)
        except ValueError:
            return None


def columns_of(heading: list[str]) -> dict[str, int]:
    """Say which column is where. The first that may be meant counts."""
    found: dict[str, int] = {}
    for place, cell in enumerate(heading):
        name = re.sub(r"[\s-]+", "_", cell.strip().lstrip("\ufeff").lower())
        column = _COLUMN_OF.get(name)
        if column is not None:
            found.setdefault(column, place)
    return _with_clock(found, heading=heading)


def _with_clock(found: dict[str, int], *, heading: list[str]) -> dict[str, int]:
    """Tell a day and a time of day in two columns apart."""
    plain = [cell.strip().lstrip("\ufeff").lower() for cell in heading]
    if "date" in plain and "time" in plain:
        found |= {"time": plain.index("date"), "clock": plain.index("time")}
    return found


def joined(day: str, *, clock: str) -> str:
    """Give the time in one text where a day and a time of day stand in two columns."""
    if day and _CLOCK.match(clock):
        return f"{day} {clock}"
    return clock or day


def is_enough(columns: dict[str, int]) -> bool:
    """Tell whether the columns say who said what."""
    return "text" in columns and ("speaker" in columns or "role" in columns)


def kind_of(role: str, *, speaker: str) -> MessageKind:
    """Say as what somebody spoke. Without a role, a speaker called "assistant" is one.

    **Raises**: Unfit for a role nobody knows, or where neither is given: it must not pass as the
    user's words.
    """
    if not role and not speaker:
        raise Unfit("it names nobody who speaks; fill in the speaker or the role")
    if not role:
        return _KIND_OF_ROLE.get(speaker.lower(), "user_message")
    known = role.lower().replace(" ", "_")
    if known in _KIND_OF_ROLE:
        return _KIND_OF_ROLE[known]
    roles = ", ".join(_KIND_OF_ROLE)
    raise Unfit(f"the role {role[:40]!r} is unknown; known are {roles}")


def time_of(cell: str) -> datetime | Local | None:
    """Read a time: an instant where it has an offset, else what a clock on a wall showed.

    **Raises**: Unfit.
    """
    if not cell:
        return None
    if re.fullmatch(r"\d{9,16}(?:\.\d{1,9})?", cell):
        return instant(float(cell))
    match = _LOCAL.fullmatch(cell)
    if match is None:
        return instant(_OFFSET.sub(lambda found: found[1] or "Z", cell))
    parts = (match["first"], match["second"], match["third"])
    return Local(
        numbers=(int(parts[0]), int(parts[1]), int(parts[2])),
        widths=(len(parts[0]), len(parts[1]), len(parts[2])),
        clock=_clock(match),
        shown=cell[:40],
    )


def _clock(match: re.Match[str]) -> time:
    """Give the time of day, midnight where only a day is given. **Raises**: Unfit."""
    if match["hour"] is None:
        return time()
    hour, half = int(match["hour"]), (match["half"] or "").lower()[:1]
    if half and not 1 <= hour <= _HOURS_OF_A_HALF:
        raise Unfit(f"{match[0][:40]!r} has no such hour")
    if half:
        hour = hour % _HOURS_OF_A_HALF + (_HOURS_OF_A_HALF if half == "p" else 0)
    try:
        return time(hour, int(match["minute"]), int(match["s"] or 0))
    except ValueError:
        raise Unfit(f"{match[0][:40]!r} is no time of day") from None
