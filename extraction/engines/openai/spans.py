"""Where a model's quotes stand, and which words of the subject they leave over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extraction import sentences
from extraction.engines.base import EpisodeMessage
from extraction.quotes import locate


@dataclass(frozen=True, slots=True)
class Place:
    """A span of one message; code points, half-open."""

    message: int
    start: int
    end: int

    def meets(self, other: "Place") -> bool:
        """Say whether two places share a character."""
        return self.message == other.message and self.start < other.end and other.start < self.end


def find(message: int, quote: str, *, messages: Sequence[EpisodeMessage]) -> Place | None:
    """Find a quote where the model says it stands, else in the only message that holds it.

    Models miscount messages; where the same words stand in several, nothing is guessed.
    """
    found = {
        other.index: Place(other.index, span.start, span.end)
        for other in messages
        if (span := locate(quote, other.text)) is not None
    }
    if message in found:
        return found[message]
    return next(iter(found.values())) if len(found) == 1 else None


def left_over(messages: Sequence[EpisodeMessage], *, taken: Iterable[Place]) -> list[Place]:
    """List the sentences of the subject that no place touches."""
    places = list(taken)
    every = (
        Place(message.index, start, end)
        for message in messages
        if message.by_subject
        for start, end in sentences.split(message.text)
    )
    return [place for place in every if not any(place.meets(other) for other in places)]
