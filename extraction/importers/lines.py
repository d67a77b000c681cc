"""Reading files of unknown size and honesty with bounded memory."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NoReturn

from extraction.importers.errors import (
    AtLine,
    BrokenLine,
    DocumentTooLong,
    EmptyFile,
    FileUnreadable,
    HoldsNul,
    LineTooLong,
    NotUtf8,
    UnknownFormat,
)

MIB = 1024 * 1024
LINE_LIMIT = 8 * MIB  # the longest conversation in one line that we accept
DOCUMENT_LIMIT = (
    16 * MIB
)  # the largest JSON document read whole; parsed it needs several times that
HEAD_BYTES = 64 * 1024
_SKIP_BYTES = 64 * 1024
_SNIFFED_LINES = 20
_UTF8_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
_CONTAINERS = {
    b"PK\x03\x04": "a zip file (unpack it first)",
    b"\x1f\x8b": "a gzip file (unpack it first)",
    b"%PDF": "a PDF file",
    b"SQLite format 3": "an SQLite database",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank. ``number`` is 1-based; ``ends_at`` is its end in bytes."""

    number: int
    text: str
    ends_at: int


def read_head(path: Path) -> str:
    """Give the first characters of the file, having checked that it is text.

    **Raises**: FileUnreadable, EmptyFile, UnknownFormat for containers, NotUtf8, HoldsNul.
    """
    with _opened(path) as file:
        head = file.read(HEAD_BYTES)
    if not head.removeprefix(_UTF8_BOM).strip() and path.stat().st_size <= HEAD_BYTES:
        raise EmptyFile(path.name)
    for magic, what in _CONTAINERS.items():
        if head.startswith(magic):
            raise UnknownFormat(path.name, found=what, expected=("a text file in UTF-8",))
    for mark, encoding in _OTHER_BOMS.items():
        if head.startswith(mark):
            raise NotUtf8(1, f"The file is {encoding}, not UTF-8. Save it as UTF-8.")
    return head.decode("utf-8-sig", errors="replace")


def read_lines(path: Path) -> Iterator[Line | AtLine]:
    """Yield each line that is not blank, or what is wrong with it.

    **Shape**: a byte order mark is dropped; a too long line is skipped without being held.
    **Raises**: FileUnreadable.
    """
    with _opened(path) as file:
        number = 0
        while raw := file.readline(LINE_LIMIT + 1):
            number += 1
            if len(raw) > LINE_LIMIT:
                _skip_line(file, raw)
                yield _too_long(number)
                continue
            raw = raw.removeprefix(_UTF8_BOM) if number == 1 else raw
            if raw.strip():
                yield _decoded(raw, number=number, ends_at=file.tell())


def parse_json(text: str, *, line: int) -> object:
    """Parse one JSON value.

    **Raises**: BrokenLine that says where it breaks; also for NaN, and for nesting too deep.
    """
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"at character {error.pos + 1}" if error.pos < len(text.rstrip()) else "at its end"
        what = error.msg.removesuffix(" at")
        raise BrokenLine(line, f"This is not valid JSON: {what}, {where}.") from None
    except RecursionError:
        raise BrokenLine(line, "This JSON is nested too deeply.") from None
    except ValueError as error:
        raise BrokenLine(line, f"This is not valid JSON: {error}.") from None
    return value


def first_values(path: Path) -> Iterator[object]:
    """Yield the JSON objects and lists among the file's first lines."""
    for line in islice(read_lines(path), _SNIFFED_LINES):
        if isinstance(line, AtLine):
            continue
        try:
            value = parse_json(line.text, line=line.number)
        except BrokenLine:
            continue
        if isinstance(value, dict | list):
            yield value


def read_document(path: Path) -> object:
    """Parse a file that is one JSON document.

    **Raises**: DocumentTooLong, NotUtf8, BrokenLine.
    """
    with _opened(path) as file:
        raw = file.read(DOCUMENT_LIMIT + 1)
    if len(raw) > DOCUMENT_LIMIT:
        limit = DOCUMENT_LIMIT // MIB
        raise DocumentTooLong(0, f"The document is larger than {limit} MiB. Split it.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUtf8(0, f"Byte {error.start + 1} of the file is not UTF-8.") from None
    return parse_json(text, line=0)


def document_if_small(path: Path) -> object | None:
    """Parse the file as one JSON document, or give None if it is none."""
    try:
        return read_document(path)
    except AtLine:
        return None


def check_first_line(path: Path) -> None:
    """Name what is wrong with the first line, where something is.

    **Raises**: NotUtf8, HoldsNul, LineTooLong, EmptyFile.
    """
    first = next(read_lines(path), None)
    if first is None:
        raise EmptyFile(path.name)
    if isinstance(first, AtLine):
        raise first


def looks_like(head: str, pattern: re.Pattern[str]) -> bool:
    """Tell whether the file begins as the pattern says, after any blanks."""
    return pattern.match(head.lstrip("\ufeff \t\r\n")) is not None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise FileUnreadable(str(path), "there is no such file") from None
    except IsADirectoryError:
        raise FileUnreadable(str(path), "it is a folder") from None
    except OSError as error:
        raise FileUnreadable(str(path), error.strerror or "it cannot be opened") from None


def _decoded(raw: bytes, *, number: int, ends_at: int) -> Line | AtLine:
    """Turn a line's bytes into text, or say why it cannot."""
    if b"\x00" in raw:
        at = raw.index(b"\x00") + 1
        return HoldsNul(number, f"Byte {at} is NUL: this is no text file, or it is damaged.")
    try:
        return Line(number=number, text=raw.decode("utf-8"), ends_at=ends_at)
    except UnicodeDecodeError as error:
        return NotUtf8(number, f"Byte {error.start + 1} is not UTF-8. Save the file as UTF-8.")


def _skip_line(file: BinaryIO, raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = file.readline(_SKIP_BYTES)


def _too_long(number: int) -> LineTooLong:
    return LineTooLong(number, f"The line is longer than {LINE_LIMIT // MIB} MiB and was refused.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
