"""The queue's address: it holds the whole state of the list, and nothing else does."""

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.utils.dateparse import parse_datetime

from knowledge.queries.queue import AGES, TABS, QueueFilter
from knowledge.queries.queue_order import EVERY_NTH_IS_OLDEST, ORDERS, Cursor
from workbench.http import whole_number

LARGEST_NUMBER = 2**63 - 1
_DEFAULT = QueueFilter()
# No place is longer; a longer text could only be there to keep us busy.
_LONGEST_CURSOR = 400


def read_filter(given: Mapping[str, str]) -> QueueFilter:
    """Read the filter from an address; words it does not know count as none."""
    subject = given.get("subject", "")
    chosen = QueueFilter(
        tab=given.get("tab", "pending"),
        kind=given.get("kind", ""),
        band=given.get("band", ""),
        flag=given.get("flag", ""),
        subject=whole_number(subject),
        attribute=given.get("attribute", ""),
        age=given.get("age", ""),
        file=whole_number(given.get("file", "")),
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
    if not text or len(text) > _LONGEST_CURSOR:
        return None
    try:
        padded = text + "=" * (-len(text) % 4)
        key, oldest, phase = json.loads(base64.urlsafe_b64decode(padded.encode()))
        return Cursor(
            key=None if key is None else _place(key, ORDERS[sort].columns),
            oldest=None if oldest is None else _oldest(oldest),
            phase=int(_number(phase)) % EVERY_NTH_IS_OLDEST,
        )
    except (ValueError, TypeError, OverflowError):
        return None


def _plain(key: tuple[Any, ...] | None) -> list[Any] | None:
    if key is None:
        return None
    return [part.isoformat() if isinstance(part, datetime) else part for part in key]


def _place(key: list[Any], columns: tuple[str, ...]) -> tuple[Any, ...]:
    """Read a place column by column: each as the kind of value it is compared with."""
    return tuple(
        _instant(part) if column.endswith("created_at") else _number(part)
        for part, column in zip(key, columns, strict=True)
    )


def _oldest(pair: list[Any]) -> tuple[datetime, int]:
    moment, number = pair
    return _instant(moment), int(_number(number))


def _instant(part: Any) -> datetime:
    found = parse_datetime(part)
    if found is None or found.tzinfo is None:
        raise ValueError("not an instant")
    return found.astimezone(UTC)


def _number(part: Any) -> float:
    if not math.isfinite(part) or abs(part) > LARGEST_NUMBER:
        raise ValueError("not a number of ours")
    return part if isinstance(part, int) else float(part)
