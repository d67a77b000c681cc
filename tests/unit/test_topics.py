"""An engine may say where topics begin; whatever it says, no message is lost or moved."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import segmentation, topics
from extraction.engines.base import EpisodeMessage
from extraction.engines.local import LocalEngine
from extraction.errors import EngineUnavailable
from knowledge.queries.processing import SourceMessage

AT = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


class Hearing(LocalEngine):
    """An engine that answers with what it was told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.windows: list[int] = []

    def topic_starts(self, messages: Sequence[EpisodeMessage]) -> tuple[int, ...] | None:
        self.windows.append(len(messages))
        if isinstance(self.answer, Exception):
            raise self.answer
        found: tuple[int, ...] | None = self.answer
        return found


def messages(count: int, *, kind: str = "user_message") -> list[SourceMessage]:
    """Make messages of one minute each that all speak of the same."""
    return [
        SourceMessage(
            place + 1,
            place,
            kind,
            1,
            "Ana",
            "The garden needs water.",
            AT + timedelta(0, 60 * place),
        )
        for place in range(count)
    ]


def cut(rows: list[SourceMessage], engine: Hearing, *, before: int = 0) -> list[segmentation.Part]:
    """Cut messages with the help of an engine."""
    heard = topics.heard(rows, before=before, engine=engine, ends_at=math.inf)
    keyed = [segmentation.SegmentMessage(r.id, r.sent_at, r.text, r.kind) for r in rows]
    return segmentation.parts(keyed[before:], before=keyed[:before], heard=heard.begins)


def test_a_topic_begins_where_the_engine_heard_it() -> None:
    parts = cut(messages(10), Hearing((4, 7)))
    assert [part.ids for part in parts] == [(1, 2, 3, 4), (5, 6, 7), (8, 9, 10)]
    assert [part.goes_on for part in parts] == [False, False, False]


def test_what_was_said_before_leads_up_and_is_not_cut_again() -> None:
    rows = messages(10)
    assert [part.ids for part in cut(rows, Hearing((2, 6)), before=4)] == [(5, 6), (7, 8, 9, 10)]
    assert cut(rows, Hearing((2, 6)), before=4)[0].goes_on


@pytest.mark.parametrize(
    "answer",
    [
        EngineUnavailable("The model endpoint does not answer (503)."),
        None,
        (99,),
        (-1, 3),
        (7, 4),
        (3, 3),
        ("3",),
        (True,),
        tuple(range(10)),
    ],
    ids=str,
)
def test_no_answer_and_nonsense_leave_the_cut_to_the_words(answer: Any) -> None:
    assert [part.ids for part in cut(messages(10), Hearing(answer))] == [tuple(range(1, 11))]


def test_a_tools_result_stays_with_its_call() -> None:
    parts = cut(messages(10, kind="tool_result"), Hearing((5,)))
    assert len(parts) == 1


def test_a_pause_ends_a_topic_whatever_the_engine_says() -> None:
    rows = messages(5) + [
        SourceMessage(
            row.id + 5, row.ordinal + 5, row.kind, 1, "Ana", row.text, row.sent_at + timedelta(1)
        )
        for row in messages(5)
    ]
    assert [part.ids for part in cut(rows, Hearing(()))] == [(1, 2, 3, 4, 5), (6, 7, 8, 9, 10)]


def test_an_engine_is_asked_in_windows_and_not_after_its_time() -> None:
    engine = Hearing(())
    cut(messages(150), engine)
    assert sum(engine.windows) >= 150
    assert max(engine.windows) <= topics.WINDOW
    late = Hearing(())
    assert topics.heard(messages(150), before=0, engine=late, ends_at=0.0).begins == {}
    assert late.windows == []


def test_few_words_and_engines_without_ears_cost_no_call() -> None:
    engine = Hearing((1,))
    cut(messages(3), engine)
    assert engine.windows == []
    assert topics.heard(messages(9), before=0, engine=LocalEngine(), ends_at=math.inf).begins == {}


@given(
    count=st.integers(1, 130),
    before=st.integers(0, 6),
    answer=st.lists(st.integers(-5, 140), max_size=60),
)
def test_no_answer_loses_or_moves_a_message_or_makes_a_part_too_long(
    count: int, before: int, answer: list[int]
) -> None:
    rows = messages(count + before)
    parts = cut(rows, Hearing(tuple(answer)), before=before)
    assert [key for part in parts for key in part.ids] == [row.id for row in rows[before:]]
    assert max(len(part.ids) for part in parts) <= 40
