"""Words that only give back what an agent was served: never evidence of anything.

An agent puts recalled statements into its prompt, and the prompt comes back as a message of the
subject. Then the store would confirm itself. Recognised are our own block, its lines, and texts
that were served lately, word for word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from extraction.engines.base import EpisodeMessage
from extraction.grounding import EvidenceSpan, Grounded
from extraction.quotes import locate
from extraction.spans import Span

_BLOCK = re.compile(r"<approved_memory>.*?(?:</approved_memory>|\Z)", re.DOTALL)
_LINE = re.compile(r"^.*\[[^\]\n]*; statement \d+, version \d+[^\]\n]*\].*$", re.MULTILINE)
# "Known about the user: …" introduces what was served and says nothing itself.
_LEAD_IN = re.compile(r"^[^:\n]{0,60}:")


def without_echoes(
    grounded: Grounded, messages: Sequence[EpisodeMessage], *, served: Sequence[str]
) -> Grounded:
    """Take what agents were served out of a candidate's evidence.

    **Shape**: with nothing else to support it, the candidate was not said by the subject; its
    quotes then stay, to be seen.
    """
    texts = {message.index: message.text for message in messages}
    supports = [span for span in grounded.evidence if span.role == "supports"]
    echoes = [span for span in supports if is_echo(span, texts[span.message], served=served)]
    if not echoes or grounded.reason:
        return grounded
    if len(echoes) == len(supports):
        return replace(grounded, reason="not_said_by_subject")
    return replace(grounded, evidence=tuple(s for s in grounded.evidence if s not in echoes))


def is_echo(span: EvidenceSpan, message: str, *, served: Sequence[str]) -> bool:
    """Say whether a quote holds no word but those that were served."""
    rest = list(message)
    for part in _given_back(message, tuple(served)):
        rest[part.start : part.end] = " " * (part.end - part.start)
    own = "".join(rest[span.start : span.end])
    if not _has_words(own):
        return True
    return own != span.quote and not _has_words(_LEAD_IN.sub("", own))


def _has_words(text: str) -> bool:
    return any(character.isalpha() for character in text)


@lru_cache(maxsize=64)
def _given_back(message: str, served: tuple[str, ...]) -> tuple[Span, ...]:
    return tuple(_found(message, served))


def _found(message: str, served: Sequence[str]) -> Iterator[Span]:
    """Find our own block and its lines, and every served text where it stands whole."""
    for pattern in (_BLOCK, _LINE):
        yield from (Span(*found.span()) for found in pattern.finditer(message))
    for text in served:
        words = text.strip(" .!")
        at = 0
        while words and (span := locate(words, message[at:])) is not None:
            yield Span(at + span.start, at + span.end)
            at += span.end
