"""How two texts differ, word by word: the pure half of every diff on the screens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_TOKENS = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|[^\w\s]")
_LEAST_SIMILAR = 0.4
"""Below this share of common words a word diff is noise: show before and after instead."""

_SLIGHT_LETTERS = 2
"""What stays between two changes counts as changed with them when it is no longer than this."""

Change = Literal["same", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that is the same, added or removed."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What changes from one text to another.

    **Shape**: ``pieces`` read in order; ``similarity`` 0..1 over words; ``as_blocks`` says that
    before and after are shown whole.
    """

    before: str
    after: str
    pieces: tuple[Piece, ...]
    similarity: float

    @property
    def as_blocks(self) -> bool:
        """Tell whether the two texts are too far apart for a word diff."""
        return self.similarity < _LEAST_SIMILAR

    @property
    def is_same(self) -> bool:
        """Tell whether nothing changes at all."""
        return self.before == self.after


def difference(before: str, after: str) -> Difference:
    """Compare two texts word by word."""
    old, new = _TOKENS.findall(before), _TOKENS.findall(after)
    pieces: list[Piece] = []
    for same, a_range, b_range in _runs(old, new):
        if same:
            pieces.append(Piece("same", "".join(old[a_range])))
            continue
        pieces.extend(_changed("removed", old[a_range]))
        pieces.extend(_changed("added", new[b_range]))
    return Difference(before, after, tuple(pieces), _similarity(old, new))


def _runs(old: list[str], new: list[str]) -> Iterator[tuple[bool, slice, slice]]:
    """Yield what stays and what changes, in turn.

    A word or two too short to orient a reader is drawn into the changes around it, so that
    phrases read as phrases: New York → San Jose, not two single words.
    """
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    codes = matcher.get_opcodes()
    a_from = b_from = 0
    changing = False
    for place, (tag, a_start, a_end, b_start, b_end) in enumerate(codes):
        inside = 0 < place < len(codes) - 1
        if tag != "equal" or (inside and _is_slight(old[a_start:a_end])):
            if not changing:
                a_from, b_from, changing = a_start, b_start, True
            continue
        if changing:
            yield False, slice(a_from, a_start), slice(b_from, b_start)
            changing = False
        yield True, slice(a_start, a_end), slice(b_start, b_end)
    if changing:
        yield False, slice(a_from, len(old)), slice(b_from, len(new))


def _is_slight(tokens: list[str]) -> bool:
    words = [token for token in tokens if not token.isspace()]
    return len("".join(words)) <= _SLIGHT_LETTERS and all(word.isascii() for word in words)


def _changed(change: Change, tokens: list[str]) -> list[Piece]:
    text = "".join(tokens)
    return [Piece(change, text)] if text else []


def _similarity(old: list[str], new: list[str]) -> float:
    words_old = [token.casefold() for token in old if not token.isspace()]
    words_new = [token.casefold() for token in new if not token.isspace()]
    return SequenceMatcher(a=words_old, b=words_new, autojunk=False).ratio()
