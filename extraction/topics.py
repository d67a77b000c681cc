"""Where an engine with a language model hears a new topic begin.

It helps, and is not needed: whatever it does not answer, or answers nonsense to, is cut by pause
and by words as always.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, runtime_checkable

import structlog

from extraction.engines.base import Engine, EpisodeMessage
from extraction.engines.metering import Meter, metered, run_meter
from extraction.errors import EngineError
from extraction.segmentation import CONTEXT
from knowledge.queries.processing import SourceMessage

log = structlog.get_logger(__name__)

# Messages an engine is shown at once, the last of those before them included.
WINDOW = 60
# Fewer than this cannot hold two topics worth parting.
FEWEST = 6


@runtime_checkable
class HearsTopics(Protocol):
    """What an engine offers that can tell where topics begin."""

    def topic_starts(self, messages: Sequence[EpisodeMessage]) -> tuple[int, ...] | None:
        """Name the messages a new topic begins with, by their place; None where it cannot."""
        ...


@dataclass(frozen=True, slots=True)
class Heard:
    """What an engine said of where topics begin.

    **Shape**: ``begins`` says for places of the messages whether a topic begins there; a place
    that is missing was not answered. ``meter`` counted the calls.
    """

    begins: Mapping[int, bool]
    meter: Meter


def heard(
    messages: Sequence[SourceMessage], *, before: int, engine: Engine, ends_at: float
) -> Heard:
    """Ask an engine where topics begin, in windows, until time is up.

    ``before`` is how many of the messages only lead up to the ones in question. An engine that
    offers nothing of the kind, that fails, or whose answer is no answer is asked for nothing.

    **Units**: ``ends_at`` in seconds of the monotonic clock.
    """
    begins: dict[int, bool] = {}
    counted = Meter()
    if not isinstance(engine, HearsTopics) or len(messages) < FEWEST:
        return Heard(begins, counted)
    asked_from = before
    while asked_from < len(messages) and time.monotonic() < ends_at:
        first = max(0, asked_from - CONTEXT)
        window = messages[first : first + WINDOW]
        starts = _ask(engine, window, counted=counted)
        upto = first + len(window)
        if starts is not None:
            begins |= {place: place - first in starts for place in range(asked_from, upto)}
        asked_from = upto
    return Heard(begins, counted)


def _ask(
    engine: HearsTopics, window: Sequence[SourceMessage], *, counted: Meter
) -> frozenset[int] | None:
    meter = run_meter()
    try:
        with metered(meter):
            answer = engine.topic_starts(
                [_to_engine(row, index=index) for index, row in enumerate(window)]
            )
    except EngineError as error:
        log.warning("topics_not_heard", reason=str(error), messages=len(window))
        return None
    finally:
        counted.calls.extend(meter.calls)
    starts = sound(answer, count=len(window))
    if answer is not None and starts is None:
        log.warning("topics_misheard", messages=len(window), starts=len(answer))
    return starts


def sound(answer: Sequence[int] | None, *, count: int) -> frozenset[int] | None:
    """Take an answer that makes sense: places that are there, in order, and not every other one."""
    if answer is None:
        return None
    if any(isinstance(place, bool) or not isinstance(place, int) for place in answer):
        return None
    if any(not 0 <= place < count for place in answer):
        return None
    if any(later <= place for place, later in pairwise(answer)):
        return None
    return frozenset(answer) if 2 * len(answer) <= count else None


def _to_engine(row: SourceMessage, *, index: int) -> EpisodeMessage:
    return EpisodeMessage(
        index=index,
        kind=row.kind,
        speaker=row.speaker_name,
        by_subject=row.speaker_id is not None,
        text=row.text,
        sent_at=row.sent_at,
    )
