"""How two texts differ, word by word: the pure half of every diff on the screens."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_TOKENS = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|[^\w\s]")
_LEAST_SIMILAR = 0.4
"""Below this share of common words a word diff is noise: show before and after instead."""

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
        """This function will tell whether the two texts are too far apart for a word diff."""
        return self.similarity < _LEAST_SIMILAR

    @property
    def is_same(self) -> bool:
        """This function will tell whether nothing changes at all."""
        return self.before == self.after


def difference(before: str, after: str) -> Difference:
    """This function will compare two texts word by word."""
    old, new = _TOKENS.findall(before), _TOKENS.findall(after)
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    pieces: list[Piece] = []
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[a_from:a_to])))
            continue
        pieces.extend(_changed("removed", old[a_from:a_to]))
        pieces.extend(_changed("added", new[b_from:b_to]))
    return Difference(before, after, tuple(_joined(pieces)), _similarity(old, new))


def _changed(change: Change, tokens: list[str]) -> list[Piece]:
    text = "".join(tokens)
    return [Piece(change, text)] if text else []


def _joined(pieces: list[Piece]) -> list[Piece]:
    """This function will join changes parted by a mere space, so that phrases read as phrases."""
    out = list(pieces)
    place = 1
    while place < len(out) - 1:
        if out[place] == Piece("same", " ") and _is_pair(out, place):
            out[place - 2 : place + 3] = [
                Piece("removed", f"{out[place - 2].text} {out[place + 1].text}"),
                Piece("added", f"{out[place - 1].text} {out[place + 2].text}"),
            ]
            place -= 1
        place += 1
    return out


def _is_pair(pieces: list[Piece], place: int) -> bool:
    around = [piece.change for piece in pieces[max(0, place - 2) : place + 3]]
    return around == ["removed", "added", "same", "removed", "added"]


def _similarity(old: list[str], new: list[str]) -> float:
    words_old = [token.casefold() for token in old if not token.isspace()]
    words_new = [token.casefold() for token in new if not token.isspace()]
    return SequenceMatcher(a=words_old, b=words_new, autojunk=False).ratio()
