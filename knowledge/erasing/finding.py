"""Finding words in texts, and taking them out so that everything else keeps its place."""

import re
from collections.abc import Iterable

from knowledge.erasing.scope import Span
from knowledge.models.erasure_guards import MASK


def occurrences(words: str, text: str) -> tuple[Span, ...]:
    """List where the words stand in a text, whatever their case and white space.

    **Units**: half-open code-point spans. Only whole words count: "art" is not in "party".
    """
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        return ()
    before = r"(?<!\w)" if re.match(r"\w", words.strip()) else ""
    after = r"(?!\w)" if re.search(r"\w$", words.strip()) else ""
    pattern = before + r"\s+".join(parts) + after
    return tuple(match.span() for match in re.finditer(pattern, text, re.IGNORECASE))


def spelled(words: str) -> str:
    """Return the longest single word, which any text with the words must hold."""
    return max(words.split(), key=len, default=words)


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
