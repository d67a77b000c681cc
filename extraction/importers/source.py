"""What a person hands in: a file, a folder, or a zip; as named members that are read as streams.

Nothing is ever unpacked to the disk, and no link is followed.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import BinaryIO

from extraction.importers import zips
from extraction.importers.errors import FileUnreadable, UnsafeArchive
from extraction.importers.limits import MEMBER_COUNT_LIMIT
from extraction.importers.recoding import as_utf8

_ZIP_BEGINS = (b"PK\x03\x04", b"PK\x05\x06")
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of what was handed in.

    **Shape**: ``name`` is its path inside, with slashes. **Units**: ``size`` in bytes, unpacked;
    ``begins_at`` is the size of all members before it, for progress.
    """

    name: str
    size: int
    begins_at: int
    opener: Callable[[], BinaryIO]

    def open(self) -> BinaryIO:
        """Give its bytes, without byte order mark, UTF-16 turned into UTF-8.

        **Raises**: FileUnreadable, NotUtf8; reading may raise DamagedArchive.
        """
        return as_utf8(self.opener())


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the person says about a file that the file itself does not say.

    **Shape**: ``zone`` is where times without a zone were written down; ``day_first`` whether
    03/04 is the third of April. None where the person was not asked.
    """

    zone: tzinfo | None = None
    day_first: bool | None = None


NOTHING_SAID = ReadOptions()


@dataclass(frozen=True, slots=True)
class Source:
    """What was handed in.

    **Shape**: ``members`` in the natural order of their names: part 2 before part 10.
    """

    name: str
    kind: str  # "file", "folder" or "zip"
    members: tuple[Member, ...]
    options: ReadOptions = NOTHING_SAID

    @property
    def size(self) -> int:
        """Sum the bytes of all members; a conversation's ``bytes_read`` counts towards it."""
        return sum(member.size for member in self.members)

    def matching(self, pattern: re.Pattern[str]) -> tuple[Member, ...]:
        """List the members whose path the pattern finds; a lone file always, however called."""
        if self.kind == "file":
            return self.members
        return tuple(member for member in self.members if pattern.search(member.name))


@contextmanager
def opened(path: Path, *, name: str = "", options: ReadOptions = NOTHING_SAID) -> Iterator[Source]:
    """Open what the path names: a folder, a zip (known by its first bytes) or a file.

    ``name`` is how messages call it where the path is not what the person knows it by.

    **Raises**: FileUnreadable, UnsafeArchive, DamagedArchive.
    """
    shown = name or path.name
    if path.is_dir():
        yield Source(shown, "folder", _numbered(_files_below(path, shown=shown)), options)
        return
    with _binary(path) as file:
        begins = file.read(4)
    if begins not in _ZIP_BEGINS:
        member = Member(shown, path.stat().st_size, 0, lambda: _binary(path))
        yield Source(shown, "file", (member,), options)
        return
    with zips.opened(path, shown=shown) as packed:
        yield Source(shown, "zip", _numbered(packed), options)


def _files_below(root: Path, *, shown: str) -> list[tuple[str, int, Callable[[], BinaryIO]]]:
    """List the regular files in a folder; hidden ones and links are passed over."""
    found: list[tuple[str, int, Callable[[], BinaryIO]]] = []
    for folder, folders, files in os.walk(root, followlinks=False):
        folders[:] = [name for name in folders if not zips.is_clutter(name)]
        for file in files:
            path = Path(folder) / file
            if zips.is_clutter(file) or path.is_symlink() or not path.is_file():
                continue
            if len(found) >= MEMBER_COUNT_LIMIT:
                raise UnsafeArchive(shown, f"it holds more than {MEMBER_COUNT_LIMIT:,} files")
            name = path.relative_to(root).as_posix()
            found.append((name, path.stat().st_size, _opener(path)))
    return found


def _opener(path: Path) -> Callable[[], BinaryIO]:
    return lambda: _binary(path)


def _numbered(found: list[tuple[str, int, Callable[[], BinaryIO]]]) -> tuple[Member, ...]:
    """Bring members into their order and say where each begins."""
    members: list[Member] = []
    begins_at = 0
    for name, size, opener in sorted(found, key=lambda one: _natural(one[0])):
        members.append(Member(name, size, begins_at, opener))
        begins_at += size
    return tuple(members)


def _natural(name: str) -> tuple[list[tuple[str, int]], str]:
    """Give what sorts "part 2" before "part 10"; the name itself where that ties."""
    pieces = _DIGITS.split(name.casefold())
    words, numbers = pieces[::2], [int(digits) for digits in pieces[1::2]]
    return list(zip(words, [*numbers, -1], strict=True)), name


def _binary(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise FileUnreadable(str(path), "there is no such file") from None
    except OSError as error:
        raise FileUnreadable(str(path), error.strerror or "it cannot be opened") from None
