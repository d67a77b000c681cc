"""A zip's files as streams: checked before any is read, and never unpacked to the disk.

A zip that lies about itself is refused whole: an export that a program wrote has no member that
points outside, none twice, and does not unpack to a thousand times its size.
"""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from extraction.importers.errors import DamagedArchive, UnsafeArchive
from extraction.importers.limits import (
    CHUNK_BYTES,
    DIRECTORY_LIMIT,
    GIB,
    KIB,
    MEMBER_COUNT_LIMIT,
    MEMBER_LIMIT,
    MIB,
    NAME_LIMIT,
    RATIO_FROM,
    RATIO_LIMIT,
    TOTAL_LIMIT,
)

_PACKED_HOW = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1
_END_RECORD = b"PK\x05\x06"
_END_RECORD_SPAN = 22 + 64 * KIB  # its own bytes and the longest comment
_NOTED_ELSEWHERE = 0xFFFFFFFF  # the value that says: see the zip64 record
_CLUTTER = {"__MACOSX", "Thumbs.db", "desktop.ini"}


@contextmanager
def opened(path: Path, *, shown: str) -> Iterator[list[tuple[str, int, Callable[[], BinaryIO]]]]:
    """List a zip's files as name, unpacked size and how to open it.

    Folders, links, hidden files and zips within the zip are passed over.

    **Raises**: DamagedArchive, UnsafeArchive, before any member is read.
    """
    _check_directory(path, shown=shown)
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
        raise DamagedArchive(shown, "its list of files cannot be read") from None
    with archive:
        infos = archive.infolist()
        _check(infos, shown=shown)
        yield [
            (_path(info), info.file_size, _opener(archive, info, shown))
            for info in infos
            if _is_wanted(info)
        ]


def is_clutter(name: str) -> bool:
    """Tell whether a file or folder is the system's own: hidden, or a thumbnail store."""
    return name.startswith(".") or name in _CLUTTER


def _check_directory(path: Path, *, shown: str) -> None:
    """Refuse a list of files too large to be read whole. A zip64's list is bounded by its file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _END_RECORD_SPAN))
        tail = file.read(_END_RECORD_SPAN)
    at = tail.rfind(_END_RECORD)
    if at < 0 or len(tail) < at + 20:
        raise DamagedArchive(shown, "its end is missing; was the download cut off?")
    (length,) = struct.unpack_from("<I", tail, at + 12)
    if length != _NOTED_ELSEWHERE and length > DIRECTORY_LIMIT:
        raise UnsafeArchive(shown, f"its list of files is longer than {DIRECTORY_LIMIT // MIB} MiB")


def _check(infos: list[zipfile.ZipInfo], *, shown: str) -> None:
    """Refuse a zip that is not what a program exports. **Raises**: UnsafeArchive."""
    if len(infos) > MEMBER_COUNT_LIMIT:
        raise UnsafeArchive(shown, f"it holds more than {MEMBER_COUNT_LIMIT:,} files")
    seen: set[str] = set()
    total = 0
    for info in infos:
        if reason := _why_unsafe(info):
            raise UnsafeArchive(shown, f"its file “{_printable(info.orig_filename)}” {reason}")
        if _path(info) in seen:
            raise UnsafeArchive(shown, f"it holds “{_printable(info.filename)}” twice")
        seen.add(_path(info))
        total += info.file_size
    if total > TOTAL_LIMIT:
        raise UnsafeArchive(shown, f"it would unpack to more than {TOTAL_LIMIT // GIB} GiB")


def _why_unsafe(info: zipfile.ZipInfo) -> str:
    """Say what is wrong with a member, or nothing."""
    # The library cuts names at NUL and keeps what was written beside them.
    if "\x00" in info.orig_filename:
        return "has a NUL byte in its name"
    if len(info.orig_filename) > NAME_LIMIT:
        return f"has a name of more than {NAME_LIMIT:,} characters"
    path = PurePosixPath(_path(info))
    if path.is_absolute() or (path.parts and path.parts[0][1:2] == ":"):
        return "has an absolute path"
    if ".." in path.parts:
        return "points outside of the zip"
    if info.flag_bits & _ENCRYPTED:
        return "is locked by a password; unpack the zip and hand in the folder, or zip it anew"
    if info.file_size > MEMBER_LIMIT:
        return f"would unpack to more than {MEMBER_LIMIT // GIB} GiB"
    if info.file_size > RATIO_FROM and info.file_size > RATIO_LIMIT * max(1, info.compress_size):
        return f"would unpack to more than {RATIO_LIMIT} times its size"
    return ""


def _path(info: zipfile.ZipInfo) -> str:
    """Give the member's path with slashes; some programs on Windows write backslashes."""
    return info.filename.replace("\\", "/")


def _is_wanted(info: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(_path(info)).parts
    is_link = stat.S_ISLNK(info.external_attr >> 16)
    is_zip = info.filename.lower().endswith(".zip")
    return not (info.is_dir() or is_link or is_zip or any(map(is_clutter, parts)))


def _printable(name: str) -> str:
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return shown if len(shown) <= 80 else shown[:79] + "…"


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo, shown: str) -> Callable[[], BinaryIO]:
    return lambda: io.BufferedReader(_Guarded(archive, info, shown), buffer_size=CHUNK_BYTES)


class _Guarded(io.RawIOBase):
    """A member's bytes; what the library raises for a damaged one becomes our own error."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, shown: str) -> None:
        if info.compress_type not in _PACKED_HOW:
            raise DamagedArchive(shown, f"“{_printable(info.filename)}” is packed in a rare way")
        self._what = f"“{_printable(info.filename)}” in it is damaged"
        self._shown = shown
        try:
            self._stream = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError):
            raise DamagedArchive(shown, self._what) from None

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the stub wants a private protocol
        """Fill the buffer as far as one reading goes. **Raises**: DamagedArchive."""
        try:
            piece = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError):
            raise DamagedArchive(self._shown, self._what) from None
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close what is underneath as well."""
        self._stream.close()
        super().close()
