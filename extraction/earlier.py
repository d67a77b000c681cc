"""What a trial of a file met before: messages as short digests, never words."""

import hashlib
import sqlite3
from collections.abc import Container, Sequence

from knowledge.commands.incoming import MessageKey


class EarlierMessages:
    """The messages of a trial so far, as short digests: in memory while few, else on the disk."""

    def __init__(self) -> None:
        self._met: set[bytes] = set()
        # A private temporary database, kept in memory until it grows; gone when it is closed.
        self._store = sqlite3.connect("")
        self._store.execute("CREATE TABLE seen (digest BLOB PRIMARY KEY) WITHOUT ROWID")

    def of(self, name: tuple[str, str]) -> Container[MessageKey]:
        """Return the messages of one conversation, to be asked whether it holds one."""
        return _EarlierOfOne(self._store, name) if short_digest(name) in self._met else ()

    def add(self, name: tuple[str, str], keys: Sequence[MessageKey]) -> None:
        """Remember messages of a conversation."""
        self._met.add(short_digest(name))
        rows = ((short_digest((*name, *key)),) for key in keys)
        self._store.executemany("INSERT OR IGNORE INTO seen VALUES (?)", rows)


class _EarlierOfOne(Container[MessageKey]):
    def __init__(self, store: sqlite3.Connection, name: tuple[str, str]) -> None:
        self._store = store
        self._name = name

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, tuple):
            return False
        found = self._store.execute(
            "SELECT 1 FROM seen WHERE digest = ?", (short_digest((*self._name, *key)),)
        )
        return found.fetchone() is not None


def short_digest(parts: tuple[str, ...]) -> bytes:
    """Return a few bytes that stand for the parts."""
    plain = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(plain, digest_size=10).digest()
