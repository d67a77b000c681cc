"""Finding words in texts however they are written, and taking them out in place."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowledge.erasing.scope import Span
from knowledge.models.erasure_guards import MASK

# Scripts that put no space between words: from here on East Asia, and the ranges of South East.
_UNSPACED_FROM = 0x2E80
_COMPLETING = frozenset(map(chr, (*range(0x1160, 0x1200), 0xFF9E, 0xFF9F)))
_SELECTORS = frozenset(map(chr, (0x034F, *range(0xFE00, 0xFE10))))
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with case, width, white space and Unicode form folded, and where each letter was.

    **Shape**: ``text[i]`` came from the original's ``[starts[i], ends[i])``.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def fold(text: str) -> Folded:
    """Fold a text, remembering places; what cannot be seen is left out."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        for letter in _plain(text[start:end]):
            is_space = letter.isspace()
            if is_space and (not letters or letters[-1] == " "):
                continue
            if _is_unseen(letter):
                continue
            letters.append(" " if is_space else letter)
            starts.append(start)
            ends.append(end)
    return Folded("".join(letters), tuple(starts), tuple(ends))


def occurrences(words: str, text: str) -> tuple[Span, ...]:
    """List where the words stand in a text, whatever their case, width, form and white space.

    **Units**: half-open code-point spans. In scripts with spaces only whole words count: "art" is
    not in "party".
    """
    return Needle(words).within(text)


class Needle:
    """Words to be found in many texts."""

    def __init__(self, words: str) -> None:
        self.folded = fold(words).text.strip()

    def within(self, text: str) -> tuple[Span, ...]:
        """List where the words stand; see ``occurrences``."""
        if not self.folded or not self.may_be_in(text):
            return ()
        found: list[Span] = []
        hay = fold(text)
        place = hay.text.find(self.folded)
        while place >= 0:
            after = place + len(self.folded)
            if self._stands_alone(hay.text, place, after):
                found.append((hay.starts[place], hay.ends[after - 1]))
                place = hay.text.find(self.folded, after)
            else:
                place = hay.text.find(self.folded, place + 1)
        return tuple(found)

    def may_be_in(self, text: str) -> bool:
        """Say quickly whether a text could hold the words, before their places are sought."""
        if text.isascii():
            plain = text.lower()
        else:
            plain = "".join(letter for letter in _plain(text) if not _is_unseen(letter))
        return self.folded.partition(" ")[0] in plain

    def _stands_alone(self, text: str, start: int, end: int) -> bool:
        return not (
            (start > 0 and _joins(text[start - 1]) and _joins(text[start]))
            or (end < len(text) and _joins(text[end]) and _joins(text[end - 1]))
        )


def leaves(value: object) -> Iterator[str]:
    """Go through the texts of a JSON value, but never its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)


def covers(kept: Iterable[Span], span: Span) -> bool:
    """Say whether a span already loses words to one of these."""
    return any(start < span[1] and span[0] < end for start, end in kept)


def mask(text: str, spans: Iterable[Span]) -> str:
    """Return the text with the spans masked character by character."""
    letters = list(text)
    for start, end in spans:
        for place in range(max(start, 0), min(end, len(letters))):
            letters[place] = MASK
    return "".join(letters)


def _clusters(text: str) -> Iterator[Span]:
    """Take each letter together with the marks that stand on it."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not _stands_on(text[place]):
            yield start, place
            start = place


def _plain(text: str) -> str:
    """Fold case, width and form; folding case can take a letter and its mark apart again."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _stands_on(letter: str) -> bool:
    """Say whether a letter completes the one before: a mark, or the rest of a Korean syllable."""
    return unicodedata.category(letter).startswith("M") or letter in _COMPLETING


def _is_unseen(letter: str) -> bool:
    return unicodedata.category(letter) == "Cf" or letter in _SELECTORS


def _joins(letter: str) -> bool:
    """Say whether a letter belongs to the word beside it: in scripts that part words by spaces."""
    code = ord(letter)
    spaced = code < _UNSPACED_FROM and not any(low <= code <= high for low, high in _UNSPACED)
    return spaced and (letter.isalnum() or letter == "_")
