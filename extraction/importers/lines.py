"""Reading texts of unknown size and honesty with bounded memory."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from extraction.importers.errors import (
    AtLine,
    BrokenLine,
    DocumentTooLong,
    EmptyFile,
    HoldsNul,
    ImportRefused,
    LineTooLong,
    NotUtf8,
    UnknownFormat,
)
from extraction.importers.limits import DOCUMENT_LIMIT, HEAD_BYTES, KIB, LINE_LIMIT, MIB
from extraction.importers.source import Member

_SKIP_BYTES = 64 * KIB
_CONTAINERS = {
    b"PK\x03\x04": "a zip file within the file",
    b"\x1f\x8b": "a gzip file (unpack it first)",
    b"Rar!": "a RAR archive (unpack it first, or make it a zip)",
    b"7z\xbc\xaf": "a 7z archive (unpack it first, or make it a zip)",
    b"%PDF": "a PDF file",
    b"SQLite format 3": "an SQLite database",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank. ``number`` is 1-based; ``ends_at`` is its end in the source."""

    number: int
    text: str
    ends_at: int


def read_head(member: Member) -> str:
    """Give the first characters of the file, having checked that it is text.

    **Raises**: FileUnreadable, EmptyFile, UnknownFormat for containers, NotUtf8, DamagedArchive.
    """
    with member.open() as stream:
        head = stream.read(HEAD_BYTES)
    if not head.strip() and len(head) < HEAD_BYTES:
        raise EmptyFile(member.name)
    for magic, what in _CONTAINERS.items():
        if head.startswith(magic):
            raise UnknownFormat(member.name, found=what, expected=("a text file in UTF-8",))
    return head.decode("utf-8", errors="replace")


def read_lines(member: Member) -> Iterator[Line | AtLine]:
    """Yield each line that is not blank, or what is wrong with it.

    **Shape**: a byte order mark is dropped; a too long line is skipped without being held.
    **Raises**: FileUnreadable, NotUtf8 for a refused encoding.
    """
    with member.open() as stream:
        try:
            yield from _lines(stream, begins_at=member.begins_at)
        except AtLine as error:
            yield error
        except ImportRefused as error:
            yield AtLine(0, str(error))


def parse_json(text: str, *, line: int) -> object:
    """Parse one JSON value.

    **Raises**: BrokenLine that says where it breaks; also for NaN, for a key that comes twice in
    one object, and for nesting too deep.
    """
    try:
        value: object = json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_each_key_once
        )
    except json.JSONDecodeError as error:
        where = f"at character {error.pos + 1}" if error.pos < len(text.rstrip()) else "at its end"
        what = error.msg.removesuffix(" at")
        raise BrokenLine(line, f"This is not valid JSON: {what}, {where}.") from None
    except RecursionError:
        raise BrokenLine(line, "This JSON is nested too deeply.") from None
    except ValueError as error:
        raise BrokenLine(line, f"This is not valid JSON: {error}.") from None
    return value


def read_document(member: Member) -> object:
    """Parse a file that is one JSON document.

    **Raises**: DocumentTooLong, NotUtf8, HoldsNul, BrokenLine.
    """
    with member.open() as stream:
        raw = stream.read(DOCUMENT_LIMIT + 1)
    if len(raw) > DOCUMENT_LIMIT:
        limit = DOCUMENT_LIMIT // MIB
        raise DocumentTooLong(0, f"The document is larger than {limit} MiB. Split it.")
    if b"\x00" in raw:
        at = raw.index(b"\x00") + 1
        raise HoldsNul(0, f"Byte {at} of the file is NUL: it is no text file, or it is damaged.")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8(0, f"Byte {error.start + 1} of the file is not UTF-8.") from None
    return parse_json(text, line=0)


def check_first_line(member: Member) -> None:
    """Name what is wrong with the first line, where something is.

    **Raises**: NotUtf8, HoldsNul, LineTooLong, EmptyFile.
    """
    first = next(read_lines(member), None)
    if first is None:
        raise EmptyFile(member.name)
    if isinstance(first, AtLine):
        raise first


def looks_like(head: str, pattern: re.Pattern[str]) -> bool:
    """Tell whether the file begins as the pattern says, after any blanks."""
    return pattern.match(head.lstrip("\ufeff \t\r\n")) is not None


def _lines(stream: BinaryIO, *, begins_at: int) -> Iterator[Line | AtLine]:
    number = 0
    ends_at = begins_at
    while raw := stream.readline(LINE_LIMIT + 1):
        number += 1
        ends_at += len(raw)
        if len(raw) > LINE_LIMIT:
            ends_at += _skip_line(stream, raw)
            limit = LINE_LIMIT // MIB
            yield LineTooLong(number, f"The line is longer than {limit} MiB and was refused.")
        elif raw.strip():
            yield _decoded(raw, number=number, ends_at=ends_at)


def _decoded(raw: bytes, *, number: int, ends_at: int) -> Line | AtLine:
    """Turn a line's bytes into text, or say why it cannot."""
    if b"\x00" in raw:
        at = raw.index(b"\x00") + 1
        return HoldsNul(number, f"Byte {at} is NUL: this is no text file, or it is damaged.")
    try:
        return Line(number=number, text=raw.decode("utf-8"), ends_at=ends_at)
    except UnicodeDecodeError as error:
        return NotUtf8(number, f"Byte {error.start + 1} is not UTF-8. Save the file as UTF-8.")


def _skip_line(stream: BinaryIO, raw: bytes) -> int:
    """Pass over the rest of a line and give its length."""
    skipped = 0
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(_SKIP_BYTES)
        skipped += len(raw)
    return skipped


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object; which of two values under one key was meant, nobody can say."""
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:40]!r} comes twice in one object")
    return found
