"""Finding a quote in the message it is said to come from.

Engines retype what they quote: another quotation mark, a lost line break, full-width letters.
The offsets that come back are always those of the original words.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from extraction.spans import Span, is_boundary, snapped

_SAME = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
}
_DROPPED = frozenset("\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff")
_QUOTE_EDGES = " \t\n\"'.,;:!?\u2026()[]*_" + "".join(_SAME)


def normalised(text: str) -> str:
    """Make case, width, whitespace, quotation marks and dashes equal, and drop
    invisible marks.
    """
    return _normalise(text)[0].strip()


def _normalise(text: str) -> tuple[str, list[int]]:
    """Normalise a text and say for each resulting character which original one it came from."""
    out: list[str] = []
    origin: list[int] = []
    for place, char in enumerate(text):
        if char in _DROPPED:
            continue
        if char.isspace():
            if not out or out[-1] != " ":
                out.append(" ")
                origin.append(place)
            continue
        for piece in _pieces(char):
            if piece == " " and out and out[-1] == " ":
                continue
            out.append(piece)
            origin.append(place)
    return "".join(out), origin


def _pieces(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    if char.isascii():
        return char.lower()
    pieces = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(" " if p.isspace() else _SAME.get(p, p) for p in pieces if p not in _DROPPED)


def locate(quote: str, text: str) -> Span | None:
    """Find a quote in a text: exactly, or else up to case, width, whitespace,
    quotes and dashes.

    **Shape**: offsets of the original text, widened to whole visible characters; an occurrence
    between word edges is preferred. Nothing where the words are not there.
    """
    if not quote.strip():
        return None
    exact = _best(text, _occurrences(quote, text))
    if exact:
        return exact
    return _locate_normalised(quote, text) or _locate_normalised(quote.strip(_QUOTE_EDGES), text)


def _locate_normalised(quote: str, text: str) -> Span | None:
    wanted = normalised(quote)
    if not wanted:
        return None
    plain, origin = _normalise(text)
    spans = (
        Span(origin[s.start], origin[s.end - 1] + 1)
        for s in _occurrences(wanted, plain)
        # "s" inside the two letters an "\u00df" became is not in the text
        if not _splits(origin, s)
    )
    return _best(text, spans)


def _splits(origin: Sequence[int], span: Span) -> bool:
    """Say whether a span begins or ends inside what one original character became."""
    begins = span.start > 0 and origin[span.start - 1] == origin[span.start]
    ends = span.end < len(origin) and origin[span.end] == origin[span.end - 1]
    return begins or ends


def _occurrences(wanted: str, text: str) -> Iterator[Span]:
    at = text.find(wanted)
    while at >= 0:
        yield Span(at, at + len(wanted))
        at = text.find(wanted, at + 1)


def _best(text: str, spans: Iterable[Span]) -> Span | None:
    """Choose the first span between word edges, else one that cuts no character, else a widened."""
    whole: Span | None = None
    widened: Span | None = None
    for span in spans:
        if is_boundary(text, span.start) and is_boundary(text, span.end):
            if _between_words(text, span):
                return span
            whole = whole or span
        elif widened is None and not _cuts_letter(text, span):
            widened = snapped(text, span)
    return whole or widened


def _cuts_letter(text: str, span: Span) -> bool:
    """Say whether widening a span would change a letter ("e" is not "é"), not an emoji."""
    wide = snapped(text, span)
    added = text[wide.start : span.start] + text[span.end : wide.end]
    return any(unicodedata.combining(c) or unicodedata.category(c) == "Mc" for c in added)


def _between_words(text: str, span: Span) -> bool:
    inside_left = span.start > 0 and text[span.start - 1].isalnum() and text[span.start].isalnum()
    inside_right = (
        span.end < len(text) and text[span.end - 1].isalnum() and text[span.end].isalnum()
    )
    return not (inside_left or inside_right)
