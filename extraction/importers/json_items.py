"""The items of one large JSON list, one at a time.

An export of years is one list of conversations in one file. Here only the list's own commas and
brackets are found; each item is then parsed by the standard library. So the file needs the memory
of its largest item, one broken or overlong item costs only itself, and what the standard parser
keeps (lone surrogates, which a general streaming parser turned into question marks when we tried
it) or refuses (NaN, a key that comes twice) is the same for an item as for a line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extraction.importers.errors import (
    AtLine,
    BrokenItem,
    HoldsNul,
    ImportRefused,
    ItemTooLong,
    NotUtf8,
)
from extraction.importers.limits import CHUNK_BYTES, DEPTH_LIMIT, HEAD_BYTES, ITEM_LIMIT, MIB
from extraction.importers.lines import parse_json, read_document
from extraction.importers.source import Member

# All that no bracket is, with whole strings, as far as the piece goes.
_NO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_BETWEEN = re.compile(rb"[\s,]*+")
_SCALAR = re.compile(rb"[^\s,\[\]{}\"]++")
_LIST_BEGINS = re.compile(rb"\s*+\[")
_ANOTHER_LIST = re.compile(rb"\S")
_QUOTE = ord('"')
_OPENS = frozenset(b"[{")


@dataclass(frozen=True, slots=True)
class Item:
    """One item. ``number`` is 1-based; ``ends_at`` counts the source's bytes, for progress."""

    number: int
    value: object
    ends_at: int


def read_items(member: Member) -> Iterator[Item | AtLine]:
    """Yield each item of a member that is one JSON list, or what is wrong with it.

    **Cost**: memory for the largest item, at most the limit; a longer one is passed over.
    **Raises**: FileUnreadable, NotUtf8 at once.
    """
    with member.open() as stream:
        scanner = _Scanner(member.begins_at)
        try:
            while not scanner.is_over and (piece := stream.read(CHUNK_BYTES)):
                yield from scanner.feed(piece)
        except AtLine as error:
            yield error
            return
        except ImportRefused as error:
            yield AtLine(0, str(error))
            return
        yield from scanner.finish(stream.read(CHUNK_BYTES) if scanner.is_over else b"")


def read_values(member: Member) -> Iterator[Item | AtLine]:
    """Yield the items of a member that is one JSON list, or the one value that it is.

    **Cost**: as ``read_items``; a document that is no list is parsed whole, within its limit.
    **Raises**: FileUnreadable, NotUtf8 for a refused encoding.
    """
    with member.open() as stream:
        begins_list = stream.read(HEAD_BYTES).lstrip().startswith(b"[")
    if begins_list:
        yield from read_items(member)
        return
    try:
        yield Item(1, read_document(member), member.begins_at + member.size)
    except AtLine as error:
        yield error
    except ImportRefused as error:
        yield AtLine(0, str(error))


@dataclass(slots=True)
class _Scanner:
    """Where in the list the reading stands."""

    begins_at: int
    number: int = 0
    depth: int = 0  # 1 is in the list, between items
    is_over: bool = False
    in_string: bool = False
    seen: int = 0
    rest: bytes = b""  # what could not be understood without the next piece
    item: list[bytes] = field(default_factory=list)
    length: int = 0
    fault: AtLine | None = None  # why the item under way is passed over

    def feed(self, piece: bytes) -> Iterator[Item | AtLine]:
        """Take the next piece and yield the items that end in it."""
        data = self.rest + piece
        self.rest = b""
        at = 0
        if not self.depth:
            opening = _LIST_BEGINS.match(data)
            if opening is None:
                self.is_over = True
                yield BrokenItem(0, "Expected a JSON list, which begins with “[”.")
                return
            self.depth, at = 1, opening.end()
        while at < len(data) and not self.is_over:
            if self.depth == 1 and not self.in_string:
                at = self._between(data, at)
            else:
                at = self._within(data, at)
            if self.depth == 1 and not self.in_string and self.length:
                yield self._ended(self.seen + at)
        if self.is_over:
            self.rest = data[at:]
        self.seen += len(data) - len(self.rest)

    def finish(self, after: bytes) -> Iterator[AtLine]:
        """Say what is wrong with the end, where something is."""
        if not self.is_over:
            where = f"in the middle of item {self.number + 1}" if self.length else "before its “]”"
            yield BrokenItem(
                0,
                f"The file ends {where}: it was cut off. The {self.number} items before were read.",
            )
        elif self.depth and _ANOTHER_LIST.search(self.rest + after):
            yield BrokenItem(0, "Something follows after the list's end and was not read.")

    def _between(self, data: bytes, at: int) -> int:
        """Step over blanks and commas, to the next item's first bracket, quote or letter."""
        gap = _BETWEEN.match(data, at)
        at = gap.end() if gap else at
        if at >= len(data):
            return at
        if data[at : at + 1] in b"]}":
            self.is_over = True
            return at + 1
        if data[at] in _OPENS:
            self.depth += 1
            self._keep(data, at, at + 1)
            return at + 1
        if data[at] == _QUOTE:
            self.in_string = True
            self._keep(data, at, at + 1)
            return at + 1
        scalar = _SCALAR.match(data, at)
        end = scalar.end() if scalar else at + 1
        self._keep(data, at, end)
        return end

    def _within(self, data: bytes, at: int) -> int:
        """Go on to where the depth changes, a string goes beyond the piece, or the piece ends."""
        run = (_IN_STRING if self.in_string else _NO_BRACKET).match(data, at)
        end = run.end() if run else at
        if end < len(data) and data[end] == _QUOTE:
            self.in_string = not self.in_string
            end += 1
        elif end < len(data) and not self.in_string:
            self.depth += 1 if data[end] in _OPENS else -1
            end += 1
            if self.depth > DEPTH_LIMIT and self.fault is None:
                self._give_up(BrokenItem(0, "nested too deeply"))
        elif end < len(data):  # a backslash, whose next byte comes with the next piece
            self._keep(data, at, end)
            self.rest = data[end:]
            return len(data)
        self._keep(data, at, end)
        return end

    def _keep(self, data: bytes, begin: int, end: int) -> None:
        self.length += end - begin
        if self.fault is not None:
            return
        if self.length > ITEM_LIMIT:
            self._give_up(ItemTooLong(0, f"longer than {ITEM_LIMIT // MIB} MiB"))
        else:
            self.item.append(data[begin:end])

    def _give_up(self, fault: AtLine) -> None:
        self.fault = fault
        self.item.clear()

    def _ended(self, ends_at: int) -> Item | AtLine:
        """Parse the item that is complete, and begin anew."""
        self.number += 1
        raw, fault = b"".join(self.item), self.fault
        self.item.clear()
        self.length, self.fault = 0, None
        if fault is not None:
            return type(fault)(0, f"Item {self.number} is {fault.message} and was passed over.")
        return _parsed(raw, number=self.number, ends_at=self.begins_at + ends_at)


def _parsed(raw: bytes, *, number: int, ends_at: int) -> Item | AtLine:
    if b"\x00" in raw:
        return HoldsNul(0, f"Item {number} holds a NUL byte: the file is damaged.")
    try:
        return Item(number, parse_json(raw.decode("utf-8"), line=0), ends_at)
    except UnicodeDecodeError as error:
        return NotUtf8(0, f"Item {number}: byte {error.start + 1} of it is not UTF-8.")
    except AtLine as error:
        return BrokenItem(0, f"Item {number}: {error.message}")
