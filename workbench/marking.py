"""Marks on original words: spans become segments that a template can print safely.

Offsets are code points. A mark never cuts a character a person sees as one (an emoji family, a
letter with its accents), and nothing invisible stays invisible: a reviewer must not approve words
that look different from what they are. Pure: no HTML, no database.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

_CLUSTER = regex.compile(r"\X")
_EMOJI = regex.compile(r"\p{Extended_Pictographic}|\p{Regional_Indicator}")
_SHAPING = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Tamil}"
    r"\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}]"
)
_JOINERS = frozenset("\u200c\u200d")
_LAID_OUT = frozenset("\n\t")
_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
_VARIATION = regex.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


@dataclass(frozen=True, slots=True)
class Span:
    """One span to mark.

    **Units**: code points, half-open. **Shape**: ``number`` is what the person sees as [n];
    ``tone`` is a word the stylesheet knows (``this``, ``elsewhere``, ``otherwise``, ``quote``).
    """

    start: int
    end: int
    number: int = 0
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text under the same marks.

    **Shape**: ``spans`` are those that cover it, outermost first; ``opens`` and ``closes`` are
    the numbers that begin and end here. ``hidden`` names an invisible character: then ``text`` is
    that one character and ``hidden`` is what to print in its place.
    """

    text: str
    spans: tuple[Span, ...] = ()
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()
    hidden: str = ""


def mark(text: str, spans: Iterable[Span] = ()) -> list[Segment]:
    """Cut a text into segments, so that every span begins and ends at a cut.

    Spans are clipped to the text and widened to whole visible characters; empty ones are dropped;
    overlapping ones give segments with several marks.
    """
    clusters = _boundaries(text)
    placed = [span for raw in spans if (span := _snap(raw, clusters)) is not None]
    placed.sort(key=lambda span: (span.start, -span.end, span.number))
    cuts = sorted({0, len(text), *(s.start for s in placed), *(s.end for s in placed)})
    segments: list[Segment] = []
    for start, end in pairwise(cuts):
        segments.extend(_pieces(text[start:end], start=start, placed=placed))
    return segments


def visible(text: str) -> list[Segment]:
    """Return a text as segments whose invisible characters are named."""
    return mark(text)


def excerpt(text: str, *, limit: int) -> str:
    """Shorten a text to whole visible characters, with an ellipsis."""
    if len(text) <= limit:
        return text
    edges = _boundaries(text)
    return text[: edges[bisect_right(edges, limit) - 1]].rstrip() + "…"


def _boundaries(text: str) -> list[int]:
    return [match.start() for match in _CLUSTER.finditer(text)] + [len(text)]


def _snap(span: Span, edges: Sequence[int]) -> Span | None:
    length = edges[-1]
    start, end = max(0, min(span.start, length)), max(0, min(span.end, length))
    if start >= end:
        return None
    left = edges[bisect_right(edges, start) - 1]
    right = edges[bisect_left(edges, end)]
    return Span(start=left, end=right, number=span.number, tone=span.tone)


def _pieces(text: str, *, start: int, placed: Sequence[Span]) -> list[Segment]:
    end = start + len(text)
    covering = tuple(span for span in placed if span.start <= start and span.end >= end)
    opens = tuple(span.number for span in covering if span.start == start and span.number)
    closes = tuple(span.number for span in covering if span.end == end and span.number)
    parts = _split_hidden(text)
    return [
        Segment(
            text=part,
            spans=covering,
            opens=opens if place == 0 else (),
            closes=closes if place == len(parts) - 1 else (),
            hidden=hidden,
        )
        for place, (part, hidden) in enumerate(parts)
    ]


def _split_hidden(text: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    plain: list[str] = []
    for cluster in _CLUSTER.findall(text):
        for place, character in enumerate(cluster):
            if not _is_hidden(character, cluster, place):
                plain.append(character)
                continue
            if plain:
                parts.append(("".join(plain), ""))
                plain = []
            parts.append((character, f"U+{ord(character):04X}"))
    if plain:
        parts.append(("".join(plain), ""))
    return parts


def _is_hidden(character: str, cluster: str, place: int) -> bool:
    if character in _LAID_OUT or cluster == "\r\n":
        return False
    if character in _BLANKS:
        return True
    if _VARIATION.match(character):
        return place == 0
    category = unicodedata.category(character)
    if category not in {"Cf", "Cc", "Zl", "Zp", "Co", "Cn"}:
        return False
    return not (place > 0 and _belongs(character, cluster))


def _belongs(character: str, cluster: str) -> bool:
    """Tell whether a joiner or tag does honest work inside its character."""
    if _EMOJI.match(cluster):
        return character in _JOINERS or "\U000e0020" <= character <= "\U000e007f"
    return character in _JOINERS and _SHAPING.match(cluster) is not None


def name_of(character: str) -> str:
    """Return what a hidden character is called, for its tooltip."""
    return unicodedata.name(character, "control character").lower()
