"""Where layers above the core keep words: each says how to count and how to empty them."""

from collections.abc import Callable
from dataclasses import dataclass

from knowledge.erasing.scope import Reach


@dataclass(frozen=True, slots=True)
class Place:
    """One kind of row outside the core that may hold words of what is erased.

    **Shape**: ``noun`` names it in the manifest. ``count`` says how many rows would be emptied,
    ``clear`` empties them within the erasure's transaction and says how many they were.
    """

    noun: str
    count: Callable[[Reach], int]
    clear: Callable[[Reach], int]


_places: dict[str, Place] = {}


def register(place: Place) -> None:
    """Make a place part of every erasure; the same noun again replaces it."""
    _places[place.noun] = place


def count(reach: Reach) -> dict[str, int]:
    """Count, place by place, what would be emptied."""
    return {place.noun: place.count(reach) for place in _places.values()}


def clear(reach: Reach) -> dict[str, int]:
    """Empty every place, as a step of an erasure."""
    return {place.noun: place.clear(reach) for place in _places.values()}
