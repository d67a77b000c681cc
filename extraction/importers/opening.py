"""What a file looks like before anyone reads it whole: what formats are told apart by."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import Literal

from extraction.importers.errors import AtLine, BrokenLine
from extraction.importers.json_items import Item, read_items
from extraction.importers.limits import SNIFFED_BYTES, SNIFFED_ITEMS, SNIFFED_LINES
from extraction.importers.lines import parse_json, read_document, read_head, read_lines
from extraction.importers.source import Member


class Fit(IntEnum):
    """How well a file fits a format. The best fit wins; two that fit equally are a question."""

    NO = 0
    BEGINS = 1  # begins like it, yet is cut or broken where one could be sure
    SHAPE = 2  # has its shape, which others have as well
    SURE = 3  # has keys or lines that only this format has


@dataclass(frozen=True, slots=True)
class Opening:
    """What is seen of one file.

    **Shape**: ``head`` is its first characters. ``values`` are, by ``shape``: of ``lines`` the JSON
    objects among the first lines, of ``list`` the first items of the one list the file is, of
    ``document`` the one object the file is; ``text`` has none. ``name`` is the file's path in its
    archive and ``names`` those of all files there.
    """

    head: str
    values: tuple[object, ...] = ()
    shape: Literal["lines", "list", "document", "text"] = "text"
    name: str = ""
    names: tuple[str, ...] = ()


def look(member: Member, *, names: tuple[str, ...] = ()) -> Opening:
    """Look at the beginning of a file.

    **Cost**: its first lines or items; the whole file only where it is one object within limits.
    **Raises**: FileUnreadable, EmptyFile, NotUtf8, UnknownFormat for containers, DamagedArchive.
    """
    head = read_head(member)
    name = member.name
    begins = head.lstrip()[:1]
    if begins == "[":
        items = tuple(_items(member))
        return Opening(head, items, "list", name=name, names=names)
    first_parses, values = _values_of_lines(member)
    if begins == "{" and not first_parses and (document := _document(member)) is not None:
        return Opening(head, (document,), "document", name=name, names=names)
    shape: Literal["lines", "text"] = "lines" if values or begins == "{" else "text"
    return Opening(head, values, shape, name=name, names=names)


def describe(opening: Opening) -> str:
    """Say in a few words what the file holds."""
    first = opening.values[0] if opening.values else None
    if opening.shape == "list":
        keys = f" with {_keys(first)}" if isinstance(first, dict) else ""
        return f"a JSON list of {type(first).__name__ if opening.values else 'nothing'}{keys}"
    if isinstance(first, dict):
        kind = "one JSON object" if opening.shape == "document" else "a JSON object per line"
        return f"{kind}, with {_keys(first)}" if first else f"{kind}, without any key"
    if first is not None:
        return f"a JSON {type(first).__name__} per line"
    return f"text that is no JSON, beginning {opening.head.strip()[:60]!r}"


def _keys(value: dict[object, object]) -> str:
    shown = ", ".join(repr(str(key)[:40]) for key in list(value)[:6])
    return f"the keys {shown}" if shown else "no key"


def _items(member: Member) -> Iterator[object]:
    """Give the first items, of large ones fewer: they are held together."""
    # Broken ones count: a file of nothing else is not to be read whole to find that out.
    for item in islice(read_items(member), SNIFFED_ITEMS):
        if isinstance(item, Item):
            yield item.value
            if item.ends_at - member.begins_at > SNIFFED_BYTES:
                return


def _values_of_lines(member: Member) -> tuple[bool, tuple[object, ...]]:
    """Give whether the first line is JSON by itself, and the objects of the first lines."""
    first_parses = False
    values: list[object] = []
    for place, line in enumerate(islice(read_lines(member), SNIFFED_LINES)):
        if isinstance(line, AtLine):
            continue
        try:
            value = parse_json(line.text, line=line.number)
        except BrokenLine:
            continue
        first_parses = first_parses or place == 0
        if isinstance(value, dict | list) or place == 0:
            values.append(value)
    return first_parses, tuple(values)


def _document(member: Member) -> object | None:
    try:
        return read_document(member)
    except AtLine:
        return None
