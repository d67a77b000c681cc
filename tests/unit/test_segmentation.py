"""Where one episode of a conversation ends and the next begins."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.segmentation import SegmentMessage, segment

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
COOKING = (
    "I baked sourdough bread with rye flour and fresh yeast yesterday evening",
    "The bread crust came out crisp after the oven was heated with steam",
    "Flour from the local mill makes the dough softer than supermarket flour",
    "My sourdough starter needs feeding with rye flour every single morning",
)
TRAINS = (
    "Booking night trains across Austria got cheaper since the railway changed tickets",
    "The railway sells sleeper tickets to Vienna three months before departure",
    "A sleeper cabin to Vienna costs less than the hotel near the station",
    "Trains from the Vienna station reach Budapest before noon without changing",
)


def talk(
    texts: list[str], *, minutes: float = 1.0, kind: str = "user_message"
) -> list[SegmentMessage]:
    return [
        SegmentMessage(i, START + timedelta(minutes=minutes * i), text, kind)
        for i, text in enumerate(texts)
    ]


def test_a_pause_ends_an_episode() -> None:
    messages = talk(["hello", "there"])
    late = SegmentMessage("late", START + timedelta(minutes=32), "again")

    assert segment([*messages, late]) == [[0, 1], ["late"]]


def test_a_pause_of_exactly_the_setting_does_not() -> None:
    assert segment(talk(["a", "b"], minutes=30)) == [[0, 1]]
    assert segment(talk(["a", "b"], minutes=30), gap_minutes=29) == [[0], [1]]


def test_an_episode_never_grows_beyond_its_size() -> None:
    assert [len(e) for e in segment(talk(["x"] * 95))] == [40, 40, 15]
    assert segment(talk(["x"] * 3), max_messages=1) == [[0], [1], [2]]


def test_a_clear_change_of_topic_ends_an_episode() -> None:
    assert segment(talk([*COOKING, *COOKING, *TRAINS])) == [list(range(8)), list(range(8, 12))]


def test_a_topic_that_goes_on_stays_one_episode() -> None:
    assert len(segment(talk([*COOKING, *COOKING, *COOKING]))) == 1


def test_short_words_between_people_are_no_change_of_topic() -> None:
    assert len(segment(talk(["ok", "great", "thanks", "see you", "yes", "sure"] * 3))) == 1


def test_an_agents_answer_opens_no_topic() -> None:
    messages = talk([*COOKING, *COOKING])
    answers = [
        SegmentMessage(f"a{i}", START + timedelta(minutes=20 + i), text, "agent_message")
        for i, text in enumerate(TRAINS)
    ]

    assert len(segment([*messages, *answers])) == 1


def test_messages_of_one_second_keep_their_order_and_all_stay() -> None:
    messages = [SegmentMessage(i, START, f"message {i}") for i in (7, 3, 5)]

    assert segment(messages) == [[7, 3, 5]]


def test_a_back_dated_message_is_kept_where_it_stands() -> None:
    messages = [
        SegmentMessage(1, START, "now"),
        SegmentMessage(2, START - timedelta(days=3), "dated before"),
        SegmentMessage(3, START, "and now again"),
    ]

    assert [i for episode in segment(messages) for i in episode] == [1, 2, 3]


def test_no_messages_make_no_episode() -> None:
    assert segment([]) == []


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(-90, 90), st.text(max_size=40)), max_size=60),
    st.integers(1, 50),
)
def test_every_message_is_in_exactly_one_episode_in_order(
    said: list[tuple[int, str]], most: int
) -> None:
    messages = [
        SegmentMessage(i, START + timedelta(minutes=m), text) for i, (m, text) in enumerate(said)
    ]

    episodes = segment(messages, max_messages=most)

    assert [i for episode in episodes for i in episode] == list(range(len(messages)))
    assert all(1 <= len(episode) <= most for episode in episodes)


@pytest.mark.parametrize("text", ["", "🙂", "\x00", "a" * 20_000])
def test_odd_texts_are_segmented_like_any(text: str) -> None:
    assert segment(talk([text, text])) == [[0, 1]]
