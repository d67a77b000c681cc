"""Texts, ids and times as files carry them, made fit to keep."""

import hashlib
import json
import re
from datetime import UTC, datetime

REPLACEMENT = "\ufffd"
ID_LENGTH = 200
NAME_LENGTH = 200
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL text refuses NUL, UTF-8 surrogates
_EARLIEST_EPOCH = 0
_MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138
_EARLIEST_YEAR = 1970
_LATEST_YEAR = 2200


class Unfit(ValueError):
    """A part of a message that cannot be taken as it is; the message says what would be right."""


def storable(text: str) -> str:
    """Replace what no database text can hold by U+FFFD, visibly."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def bounded(text: str, *, limit: int = NAME_LENGTH) -> str:
    """Make a name or title storable, on one line, and at most so long."""
    line = " ".join(storable(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def word(value: object) -> str:
    """Give a key's value where it is text, an empty text for anything else a file may hold."""
    return value if isinstance(value, str) else ""


def stable_id(text: str) -> str:
    """Keep an id as it is, or replace an overlong one by its digest."""
    clean = storable(text)
    return clean if len(clean) <= ID_LENGTH else f"sha256:{digest(clean)}"


def id_from_name(name: str) -> str:
    """Make a name an id for a person: "Mary Ann" becomes "mary-ann"."""
    return stable_id("-".join(name.lower().split()))


def digest(*parts: str) -> str:
    """Give 24 hexadecimal digits that stand for these texts in this order.

    Each part goes in with its length, so that ("ab", "c") and ("a", "bc") differ.
    """
    hasher = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", errors="replace")
        hasher.update(f"{len(raw)}:".encode())
        hasher.update(raw)
    return hasher.hexdigest()[:24]


def compact(value: object) -> str:
    """Write a value as JSON on one line; an empty text for None.

    **Raises**: Unfit where it is nested too deeply.
    """
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        raise Unfit("it holds values nested too deeply") from None


def instant(value: object) -> datetime:
    """Read a time: RFC 3339 with an offset, or seconds since 1970.

    **Units**: answers aware UTC. Numbers above 10¹¹ are milliseconds.
    **Raises**: Unfit, also for a time without an offset: guessing a zone would move facts.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unfit(f"a time must be text or a number, not {type(value).__name__}")
    return _from_text(value) if isinstance(value, str) else _from_epoch(value)


def check_year(local: datetime) -> None:
    """Refuse a time without a zone that no message can have. **Raises**: Unfit."""
    if not _EARLIEST_YEAR <= local.year <= _LATEST_YEAR:
        raise Unfit(f"{local.isoformat(' ')!r} is not between 1970 and {_LATEST_YEAR}")


def _from_epoch(number: float) -> datetime:
    seconds = number / 1000 if number >= _MILLISECONDS_FROM else number
    try:
        found = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        raise Unfit(f"{number!r} seconds since 1970 is no usable time") from None
    return _checked(found, shown=repr(number))


def _from_text(text: str) -> datetime:
    shown = repr(text[:60])
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Unfit(
            f"{shown} is no time; write it like 2025-03-02T09:30:00+01:00 or ...Z"
        ) from None
    if found.tzinfo is None:
        raise Unfit(f"{shown} has no offset; add Z or one like +01:00")
    try:
        return _checked(found.astimezone(UTC), shown=shown)
    except OverflowError:
        raise Unfit(f"{shown} is out of range") from None


def _checked(found: datetime, *, shown: str) -> datetime:
    if found.timestamp() < _EARLIEST_EPOCH or found.year > _LATEST_YEAR:
        raise Unfit(f"{shown} is not between 1970 and {_LATEST_YEAR}")
    return found
