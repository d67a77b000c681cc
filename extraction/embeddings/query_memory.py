"""The vectors of the last questions, so that asking again costs nothing."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

MOST_REMEMBERED = 512


class QueryMemory:
    """A bounded memory by text, the least recently used forgotten first; safe between threads."""

    def __init__(self, *, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._known: OrderedDict[str, tuple[float, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, text: str) -> list[float] | None:
        """Give a copy of the vector kept for a text, if it still is."""
        with self._lock:
            known = self._known.get(text)
            if known is None:
                return None
            self._known.move_to_end(text)
            return list(known)

    def keep(self, text: str, vector: Sequence[float]) -> None:
        """Remember a vector, and forget what is beyond the bound."""
        with self._lock:
            self._known[text] = tuple(vector)
            self._known.move_to_end(text)
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def forget(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._known.clear()
