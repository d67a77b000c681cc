"""The queue's address: it holds the whole state of the list, and nothing else does."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.dateparse import parse_datetime

from knowledge.queries.queue import AGES, TABS, QueueFilter
from knowledge.queries.queue_order import ORDERS, Cursor

_DEFAULT = QueueFilter()


def read_filter(given: Mapping[str, str]) -> QueueFilter:
    """Read the filter from an address; words it does not know count as none."""
    subject = given.get("subject", "")
    chosen = QueueFilter(
        tab=given.get("tab", "pending"),
        kind=given.get("kind", ""),
        band=given.get("band", ""),
        flag=given.get("flag", ""),
        subject=int(subject) if subject.isdigit() and len(subject) < 18 else None,
        attribute=given.get("attribute", ""),
        age=given.get("age", ""),
        sort=given.get("sort", "risk"),
    )
    return replace(
        chosen,
        tab=chosen.tab if chosen.tab in TABS else _DEFAULT.tab,
        sort=chosen.sort if chosen.sort in ORDERS else _DEFAULT.sort,
        age=chosen.age if chosen.age in AGES else "",
    )


def query(chosen: QueueFilter, *, cursor: Cursor | None = None, **more: str | int) -> str:
    """Write a filter as the end of an address, with its question mark."""
    parts: dict[str, str | int] = {
        name: value
        for name in (field.name for field in fields(QueueFilter))
        if (value := getattr(chosen, name)) and value != getattr(_DEFAULT, name)
    }
    if cursor is not None:
        parts["after"] = write_cursor(cursor)
    parts.update({name: value for name, value in more.items() if value})
    return f"?{urlencode(parts)}" if parts else ""


def with_change(chosen: QueueFilter, **changes: Any) -> str:
    """Write the address of the same list with something chosen otherwise."""
    return query(replace(chosen, **changes))


def write_cursor(cursor: Cursor) -> str:
    """Write a place in the list so that an address can hold it."""
    plain = [_plain(cursor.key), _plain(cursor.oldest), cursor.phase]
    packed = json.dumps(plain, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def read_cursor(text: str, *, sort: str) -> Cursor | None:
    """Read a place in the list; a broken one is the beginning."""
    try:
        padded = text + "=" * (-len(text) % 4)
        key, oldest, phase = json.loads(base64.urlsafe_b64decode(padded.encode()))
        read = Cursor(
            key=None if key is None else tuple(_value(part) for part in key),
            oldest=None if oldest is None else (_instant(oldest[0]), int(oldest[1])),
            phase=int(phase) % 5,
        )
    except (ValueError, TypeError, IndexError, KeyError, binascii.Error):
        return None
    fits = read.key is None or len(read.key) == len(ORDERS[sort].columns)
    return read if fits and text else None


def _plain(key: tuple[Any, ...] | None) -> list[Any] | None:
    if key is None:
        return None
    return [part.isoformat() if isinstance(part, datetime) else part for part in key]


def _value(part: Any) -> Any:
    return _instant(part) if isinstance(part, str) else float(part)


def _instant(part: str) -> datetime:
    found = parse_datetime(part)
    if found is None:
        raise ValueError("not an instant")
    return found
