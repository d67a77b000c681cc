"""Cutting a conversation into episodes: runs of messages on one topic.

Conservative on purpose: a pause ends an episode, a clear change of words at a natural opening
does too, and nothing grows beyond a size an engine can read. Order is the order given; equal or
back-dated times neither reorder nor lose a message.
"""

from collections.abc import Mapping, Sequence
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
# Messages of a topic that say whether the next ones go on with it.
CONTEXT = max(_WINDOW, _LEAST_MESSAGES)

_OF_TOOLS = frozenset({"tool_call", "tool_result"})

Key = int | str


@dataclass(frozen=True, slots=True)
class SegmentMessage:
    """One message as segmentation needs it. ``id`` is opaque and comes back unchanged."""

    id: Key
    sent_at: datetime
    text: str
    kind: str = "user_message"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of messages; ``goes_on`` says that its topic is that of the part before."""

    ids: tuple[Key, ...]
    goes_on: bool


def segment(
    messages: Sequence[SegmentMessage], *, gap_minutes: int = 30, max_messages: int = 40
) -> list[list[Key]]:
    """Cut messages, in their order, into episodes; every message is in exactly
    one.

    **Units**: a pause longer than ``gap_minutes`` ends an episode.
    """
    found = parts(messages, gap_minutes=gap_minutes, max_messages=max_messages)
    return [list(part.ids) for part in found]


def parts(
    messages: Sequence[SegmentMessage],
    *,
    before: Sequence[SegmentMessage] = (),
    heard: Mapping[int, bool] | None = None,
    gap_minutes: int = 30,
    max_messages: int = 40,
) -> list[Part]:
    """Cut messages into parts, and say which go on with the topic before them.

    ``before`` are the last messages of the topic that was spoken of until then, ``CONTEXT`` of
    them or all: so a topic is one however its words came in. Where nothing speaks for a new
    topic, it goes on. ``heard`` are places, counted from the first before, at which an engine
    heard a topic begin or go on; all others are told by their words.

    **Units**: a pause longer than ``gap_minutes`` ends a topic.
    """
    gap = timedelta(minutes=gap_minutes)
    every = [*before, *messages]
    words = [_words(message) for message in every]
    heard = heard or {}
    found: list[Part] = []
    of_topic, ids = len(before), list[Key]()
    goes_on = bool(before)
    for place, message in enumerate(messages, start=len(before)):
        is_new = place > 0 and (
            every[place].sent_at - every[place - 1].sent_at > gap
            or _begins(message, words, place=place, of_topic=of_topic, heard=heard.get(place))
        )
        if ids and (is_new or len(ids) >= max(1, max_messages)):
            found.append(Part(tuple(ids), goes_on))
            ids, goes_on = [], True
        if is_new:
            of_topic, goes_on = 0, False
        ids.append(message.id)
        of_topic += 1
    return [*found, Part(tuple(ids), goes_on)] if ids else found


def _begins(
    message: SegmentMessage,
    words: Sequence[frozenset[str]],
    *,
    place: int,
    of_topic: int,
    heard: bool | None,
) -> bool:
    """Say whether a topic begins at a message, ``of_topic`` messages after the last one did.

    What an engine heard counts before the words; nobody parts a tool's result from its call.
    """
    if heard is not None:
        return heard and message.kind not in _OF_TOOLS
    return _is_opening(message) and _shifts(words, place=place, size=of_topic)


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
