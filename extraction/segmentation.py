"""Cutting a conversation into episodes: runs of messages on one topic.

Conservative on purpose: a pause ends an episode, a clear change of words at a natural opening
does too, and nothing grows beyond a size an engine can read. Order is the order given; equal or
back-dated times neither reorder nor lose a message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from extraction.languages import guess_language
from extraction.words import content_words

# A topic is compared over this many messages on each side; a shift needs both sides full.
_WINDOW = 4
# Content words a window needs before its silence about the other side means anything.
_LEAST_WORDS = 12
# Share of common words (of the smaller side) below which two windows are about other things.
_COHESION = 0.06
# No episode that a topic shift closes is shorter than this.
_LEAST_MESSAGES = 6

Key = int | str


@dataclass(frozen=True, slots=True)
class SegmentMessage:
    """One message as segmentation needs it. ``id`` is opaque and comes back unchanged."""

    id: Key
    sent_at: datetime
    text: str
    kind: str = "user_message"


def segment(
    messages: Sequence[SegmentMessage], *, gap_minutes: int = 30, max_messages: int = 40
) -> list[list[Key]]:
    """Cut messages, in their order, into episodes; every message is in exactly
    one.

    **Units**: a pause longer than ``gap_minutes`` ends an episode.
    """
    gap = timedelta(minutes=gap_minutes)
    words = [_words(m) for m in messages]
    episodes: list[list[Key]] = []
    size = 0
    for place, message in enumerate(messages):
        if place == 0 or _begins(
            messages, words, place=place, size=size, gap=gap, cap=max_messages
        ):
            episodes.append([])
            size = 0
        episodes[-1].append(message.id)
        size += 1
    return episodes


def _begins(
    messages: Sequence[SegmentMessage],
    words: Sequence[frozenset[str]],
    *,
    place: int,
    size: int,
    gap: timedelta,
    cap: int,
) -> bool:
    """Say whether a new episode begins at a message, ``size`` messages after the last one did."""
    if size >= max(1, cap):
        return True
    if messages[place].sent_at - messages[place - 1].sent_at > gap:
        return True
    return _is_opening(messages[place]) and _shifts(words, place=place, size=size)


def _is_opening(message: SegmentMessage) -> bool:
    """Say whether a topic could begin here: only people open one, not an answer or a tool."""
    return message.kind in {"user_message", "environment_observation", "task_result"}


def _shifts(words: Sequence[frozenset[str]], *, place: int, size: int) -> bool:
    """Say whether the messages before and after share next to no content words."""
    if size < _LEAST_MESSAGES:
        return False
    before = frozenset[str]().union(*words[max(0, place - _WINDOW) : place])
    after = frozenset[str]().union(*words[place : place + _WINDOW])
    smaller = min(len(before), len(after))
    if smaller < _LEAST_WORDS or len(words) - place < _WINDOW:
        return False
    return len(before & after) < _COHESION * smaller


def _words(message: SegmentMessage) -> frozenset[str]:
    return frozenset(content_words(message.text, guess_language(message.text)))
