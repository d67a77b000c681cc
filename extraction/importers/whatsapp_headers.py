"""The beginning of a line of a WhatsApp export: when, as the phone wrote it, and what follows.

Phones write it in their owner's language: ``[12/31/23, 11:59:58 PM] Ana: …`` on an iPhone,
``31.12.23, 23:59 - Ana: …`` on Android, with the year first in East Asia, the time first in
Vietnam, digits of their own in Arabic, marks of writing direction anywhere.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

_MARKS = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_NO_MARKS = dict.fromkeys(map(ord, _MARKS))
LONGEST = 96  # characters of a line that its time and the marks in it may take

# Every repetition is bounded, so a line costs the same whatever it holds.
_DATE = (
    r"(\d{1,4})(\s?[./\-\u5e74\ub144]\s?)(\d{1,2})\s?[./\-\u6708\uc6d4]\s?(\d{1,4})"
    r"\s?[\u65e5\uc77c]?"
)
_TIME = r"(\d{1,2})\s?[:.h\u6642\u65f6\uc2dc]\s?(\d{2})(?:\s?[:.\u5206\ubd84]\s?(\d{2}))?"
_BETWEEN = r"([^\d\[\]<>]{1,24})"
_AFTER = r"([^\d\[\]<>:]{0,16}?)"
_END = r"(?:\]\s?|\s[-\u2013\u2014]\s)"
_DATE_FIRST = re.compile(rf"(\[?)\s?{_DATE}{_BETWEEN}{_TIME}{_AFTER}{_END}")
_TIME_FIRST = re.compile(rf"(\[?)\s?{_TIME}{_BETWEEN}{_DATE}{_AFTER}{_END}")

_BEFORE_NOON = frozenset(
    "am vorm ap de dop fm öö πμ πμμ pd pg sa ص قظ قبلازظهر לפנהצ"
    " 上午 凌晨 清晨 早上 午前 오전 ก่อนเที่ยง"
    " पूर्वाह्न मपू পূর্বাহ্ণ முற்பகல் ጥዋት проб дп".split()
)
_AFTER_NOON = frozenset(
    "pm nachm ip du odp em ös μμ md ptg ch م بظ بعدازظهر אחהצ 下午 中午 晚上 午後 오후 หลังเที่ยง"
    " अपराह्न मउ অপরাহ্ণ பிற்பகல் ከሰዓት слоб пп".split()
)
_CONNECTORS = frozenset(
    "à um klo kl г г.в в о ο alas às as alle ore alleore uhr h lúc в kello στις".split()
)
_BUDDHIST = 543  # years that Thai phones count more
_BUDDHIST_FROM = 2400
_EARLIEST_YEAR = 1990
_LATEST_YEAR = 2199  # the midnight after its last day is still a time that is kept
_NOON = 12
_MIDNIGHT = 24


@dataclass(frozen=True, slots=True)
class Header:
    """A time as it is written, its order of day and month still open.

    **Shape**: ``numbers`` are the three of the date in their order; ``year_first`` where the
    first has four digits. ``clock`` is hours, minutes, seconds, hours up to 24. ``seconds`` and
    ``style`` tell lines of one export from words that merely look like one. ``unread`` is a word
    beside the time that may say morning or evening, and is not known. ``ends`` is where the rest
    of the line begins.
    """

    numbers: tuple[int, int, int]
    year_first: bool
    clock: tuple[int, int, int]
    style: tuple[object, ...]
    has_seconds: bool
    unread: str
    ends: int


def header_of(line: str) -> Header | None:
    """Read the time that a line begins with, or give None for a line that goes on."""
    head = line[:LONGEST]
    clean = head.translate(_NO_MARKS)
    if not clean or not (clean[0] == "[" or clean[0].isdigit()):
        return None
    match = _DATE_FIRST.match(clean)
    is_time_first = match is None
    match = match or _TIME_FIRST.match(clean)
    if match is None or (match[1] == "[") != match[0].rstrip().endswith("]"):
        return None
    if is_time_first:
        clock, between, days = match.group(2, 3, 4), match[5], match.group(6, 7, 8, 9)
    else:
        days, between, clock = match.group(2, 3, 4, 5), match[6], match.group(7, 8, 9)
    return _header(
        days=days,
        clock=clock,
        words=between + match[10],
        style=(match[1], is_time_first),
        ends=_place(head, count=match.end()),
    )


def _header(
    *,
    days: tuple[str, ...],
    clock: tuple[str | None, ...],
    words: str,
    style: tuple[object, ...],
    ends: int,
) -> Header | None:
    """Put the pieces together; None where they are no date and time at all."""
    first, separator, second, third = days
    if {len(first), len(third)} & {3} or (len(first) == len(third) == 4) or len(third) == 1:
        return None
    hours, minutes, seconds = (int(part or 0) for part in clock)
    offset, unread = _half_of_day(words)
    if offset is not None and hours <= _NOON:
        hours = hours % _NOON + offset
    if hours > _MIDNIGHT or minutes > 59 or seconds > 59:
        return None
    return Header(
        numbers=(int(first), int(second), int(third)),
        year_first=len(first) == 4,
        clock=(hours, minutes, seconds),
        style=(*style, separator.strip(), len(first) == 4, len(third) == 4, clock[2] is None),
        has_seconds=clock[2] is not None,
        unread=unread,
        ends=ends,
    )


def day_of(header: Header, *, order: str) -> date | None:
    """Read the date in an order: "dmy", "mdy" or "ymd". None where there is no such day."""
    named = dict(zip("ymd" if header.year_first else order, header.numbers, strict=True))
    year = named["y"]
    if year < 100:
        year += 2000
    elif year > _BUDDHIST_FROM:
        year -= _BUDDHIST
    if not _EARLIEST_YEAR <= year <= _LATEST_YEAR:
        return None
    try:
        return date(year, named["m"], named["d"])
    except ValueError:
        return None


def moment_of(header: Header, *, day: date) -> datetime:
    """Give the local time of a line; 24:00 is the beginning of the next day."""
    hours, minutes, seconds = header.clock
    if hours == _MIDNIGHT:
        day, hours = day + timedelta(days=1), 0
    return datetime.combine(day, time(hours, minutes, seconds))


def without_marks(text: str) -> str:
    """Take out the marks of writing direction."""
    return text.translate(_NO_MARKS)


def _half_of_day(words: str) -> tuple[int | None, str]:
    """Give the hours to add for the word beside a time, or the word if it is not known.

    "p. m.", "PM" and "p.m." are the same word; so are those with a connecting "à" or "klo".
    """
    parts = _letters(words)
    joined = "".join(parts)
    if not joined or joined in _CONNECTORS:
        return None, ""
    for start in range(2):
        # A connecting word may stand before the word that says which half of the day.
        if start and parts[0] not in _CONNECTORS:
            break
        rest = "".join(parts[start:])
        if rest in _BEFORE_NOON:
            return 0, ""
        if rest in _AFTER_NOON:
            return _NOON, ""
        if rest in _CONNECTORS or not rest:
            return None, ""
    return None, " ".join(words.split())


def _letters(words: str) -> list[str]:
    """List the words in small letters, without dots and quotes; marks on letters stay."""
    kept = "".join(
        ch if unicodedata.category(ch)[0] in "LM" else " " if ch.isspace() else ""
        for ch in words.casefold()
    )
    return kept.split()


def _place(head: str, *, count: int) -> int:
    """Say where in the text the first so many characters that are no marks end."""
    place = 0
    while count and place < len(head):
        count -= head[place] not in _MARKS
        place += 1
    return place
