"""What two runs over the same words found: together, or one of them alone. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from extraction.languages import guess_language
from extraction.similarity import equal_words
from extraction.words import content_words

# The share of content words two statements from overlapping quotes must have in common.
LEAST_SHARED = 0.5

Place = tuple[int, int, int]


class Compared(Protocol):
    """What is needed of a candidate. ``places`` are message, start and end of its quotes."""

    @property
    def text(self) -> str:
        """The statement."""
        ...

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its quotes stand, in code points, half-open."""
        ...


One = TypeVar("One", bound=Compared)


@dataclass(frozen=True, slots=True)
class Found(Generic[One]):
    """Candidates of two runs. **Shape**: ``both`` pairs left with right, in order of the left."""

    both: tuple[tuple[One, One], ...]
    left: tuple[One, ...]
    right: tuple[One, ...]


def found_by(left: Sequence[One], right: Sequence[One]) -> Found[One]:
    """Pair the candidates of two runs that say the same, the most alike first.

    The same is: the same words; or quotes that overlap, and half the content words in common.
    Each candidate is paired once. What was erased is alike to nothing.
    """
    weighed = [
        (likeness(one, other), place, beside)
        for place, one in enumerate(left)
        for beside, other in enumerate(right)
    ]
    weighed.sort(key=lambda row: (-row[0], row[1], row[2]))
    pairs: dict[int, int] = {}
    for weight, place, beside in weighed:
        if weight > 0 and place not in pairs and beside not in pairs.values():
            pairs[place] = beside
    taken = set(pairs.values())
    return Found(
        both=tuple((left[place], right[pairs[place]]) for place in sorted(pairs)),
        left=tuple(one for place, one in enumerate(left) if place not in pairs),
        right=tuple(one for place, one in enumerate(right) if place not in taken),
    )


def likeness(one: Compared, other: Compared) -> float:
    """Say how much two candidates are the same: 0 not at all, 1 word for word."""
    if not one.text or not other.text:
        return 0.0
    if equal_words(one.text, other.text):
        return 1.0
    if not _overlap(one.places, other.places):
        return 0.0
    words, others = _words(one.text), _words(other.text)
    every = len(words | others)
    shared = len(words & others) / every if every else 0.0
    # Word for word alike is always more than any other likeness.
    return shared * 0.99 if shared >= LEAST_SHARED else 0.0


def _overlap(some: Sequence[Place], others: Sequence[Place]) -> bool:
    return any(
        message == beside and start < last and first < end
        for message, start, end in some
        for beside, first, last in others
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text, guess_language(text)))
