"""Spans of a text in code points, snapped so that no visible character is cut in two."""

import unicodedata
from dataclasses import dataclass

_JOINER = "\u200d"
_HANGUL = ("\u1100", "\u11ff")


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open code-point offsets into a text."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Say whether two spans share a character."""
        return self.start < other.end and other.start < self.end


def _extends(char: str) -> bool:
    """Say whether a code point belongs to the one before it: marks, joiners, skin tones, tags."""
    return (
        unicodedata.category(char) in {"Mn", "Me", "Mc"}
        or char == _JOINER
        or "\ufe00" <= char <= "\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def is_boundary(text: str, at: int) -> bool:
    """Say whether a reader would let the text be cut here."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _extends(after) or before == _JOINER or (before == "\r" and after == "\n"):
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        run = at
        while run > 0 and _is_flag_letter(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    low, high = _HANGUL
    return not (low <= before <= high and low <= after <= high)


def snapped(text: str, span: Span) -> Span:
    """Widen a span to whole visible characters, within the text."""
    start = max(0, min(span.start, len(text)))
    end = max(start, min(span.end, len(text)))
    while not is_boundary(text, start):
        start -= 1
    while not is_boundary(text, end):
        end += 1
    return Span(start, end)
