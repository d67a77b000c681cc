"""A topic that goes on is one episode to read, in order, with each word's part."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from extraction import pipeline
from extraction.embeddings.registry import get_embedder
from extraction.engines.local import LocalEngine
from extraction.pipeline import Tools
from knowledge.commands import sources
from knowledge.models import Episode, ExtractionRun, Message, Space
from knowledge.queries.episodes import MergedEpisode, merged_episode
from knowledge.results import SYSTEM, NewMessage
from tests.factories import ANA, NOW, make_space

pytestmark = pytest.mark.django_db

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


@pytest.fixture
def space() -> Space:
    return make_space()


def come_in(space: Space, *texts: str, minute: int, process: bool = True) -> int:
    """Capture messages, one a minute from a minute on, and process them; the conversation."""
    conversation_id = sources.capture(
        space_id=space.pk, external_id="c", source="test", subjects=[ANA], by=SYSTEM, now=NOW,
        messages=[
            NewMessage(
                f"m{minute + place}", "Ana", "user_message", text,
                NOW + timedelta(minutes=minute + place), ANA,
            )
            for place, text in enumerate(texts)
        ],
    ).conversation_id  # fmt: skip
    if process:
        tools = Tools(engine=LocalEngine(), embedder=get_embedder())
        pipeline.process_conversation(conversation_id, tools=tools)
    return conversation_id


def topics(space: Space) -> list[list[int]]:
    """List the minutes each topic was spoken of, over its parts."""
    found: list[list[int]] = []
    for episode in Episode.objects.filter(space=space).order_by("pk"):
        if episode.continues_id is None:
            found.append([])
        names = Message.objects.filter(episode=episode).order_by("ordinal")
        found[-1] += [int(name[1:]) for name in names.values_list("external_id", flat=True)]
    return found


def read(space: Space, place: int = 0) -> MergedEpisode:
    """Read the topic of the episode that was opened at a place."""
    episode = Episode.objects.filter(space=space).order_by("pk")[place]
    merged = merged_episode(episode.pk, space_id=space.pk)
    assert merged is not None
    return merged


def test_words_that_go_on_with_a_topic_are_a_further_part_of_its_episode(space: Space) -> None:
    come_in(space, *COOKING, minute=0)
    come_in(space, *COOKING, minute=4)
    first, second = Episode.objects.filter(space=space).order_by("pk")
    assert second.continues == first
    merged = read(space)
    assert (merged.id, [part.id for part in merged.parts]) == (first.pk, [first.pk, second.pk])
    assert [message.part_id for message in merged.messages] == [first.pk] * 4 + [second.pk] * 4
    assert [message.text for message in merged.messages] == [*COOKING, *COOKING]
    assert read(space, 1) == merged  # whichever part one asks for


def test_each_part_keeps_its_own_run_and_the_first_stays_as_it_was(space: Space) -> None:
    come_in(space, "I live in Lisbon.", minute=0)
    before = Episode.objects.values().get(space=space)
    come_in(space, "I have two cats.", minute=1)
    assert Episode.objects.values().filter(space=space).earliest("pk") == before
    runs = ExtractionRun.objects.filter(space=space).order_by("pk")
    assert [run.episode_id for run in runs] == [part.id for part in read(space).parts]
    quoted = [
        {evidence.message.episode_id for evidence in proposal.evidence.all()}
        for run in runs
        for proposal in run.proposals.all()
    ]
    assert quoted == [{run.episode_id} for run in runs]


def test_a_topic_is_titled_by_its_first_part_and_told_in_order(space: Space) -> None:
    come_in(space, "I live in Lisbon.", minute=0)
    come_in(space, "I have two cats.", minute=1)
    merged = read(space)
    first, second = merged.parts
    assert merged.title == first.title
    assert "Lisbon" in merged.title
    assert merged.narrative.index("Lisbon") < merged.narrative.index("cats")
    # What is told of a part comes from its own words alone, so that an erasure ends it with them.
    assert "Lisbon" not in second.title + second.narrative


def test_after_a_pause_another_episode_begins(space: Space) -> None:
    come_in(space, *COOKING, minute=0)
    come_in(space, *COOKING, minute=3 + 31)
    assert topics(space) == [[0, 1, 2, 3], [34, 35, 36, 37]]


def test_another_topic_begins_an_episode_though_it_was_processed_apart(space: Space) -> None:
    come_in(space, *COOKING, *COOKING, minute=0)
    come_in(space, *TRAINS, minute=8)
    come_in(space, *TRAINS, minute=12)
    assert topics(space) == [list(range(8)), list(range(8, 16))]
    assert [len(read(space, place).parts) for place in range(3)] == [1, 2, 2]


@pytest.mark.parametrize("cuts", [(8,), (4, 8), (6, 12), (4, 8, 12)])
def test_topics_are_the_same_however_the_words_came_in(space: Space, cuts: Sequence[int]) -> None:
    texts = [*COOKING, *COOKING, *TRAINS, *TRAINS]
    whole = make_space()
    come_in(whole, *texts, minute=0)
    begin = 0
    for end in (*cuts, len(texts)):
        come_in(space, *texts[begin:end], minute=begin)
        begin = end
    assert topics(space) == topics(whole)


def test_a_topic_too_long_for_one_reading_goes_on_in_the_next_part(space: Space) -> None:
    come_in(space, *(f"The dough rose for {hour} hours" for hour in range(45)), minute=0)
    assert [len(topic) for topic in topics(space)] == [45]
    merged = read(space)
    assert len(merged.parts) == 2
    assert [message.ordinal for message in merged.messages] == list(range(45))


def test_back_dated_words_are_read_where_they_came_in(space: Space) -> None:
    come_in(space, "I live in Lisbon.", minute=9)
    come_in(space, "I have two cats.", minute=2)
    assert [message.text for message in read(space).messages] == [
        "I live in Lisbon.",
        "I have two cats.",
    ]


def test_another_space_reads_nothing_of_it(space: Space) -> None:
    come_in(space, "I live in Lisbon.", minute=0)
    episode = Episode.objects.get(space=space)
    assert merged_episode(episode.pk, space_id=make_space().pk) is None


def test_every_message_is_taken_once_and_progress_is_per_message(space: Space) -> None:
    conversation_id = come_in(space, *COOKING, minute=0)
    come_in(space, *COOKING, minute=0)
    assert Episode.objects.filter(space=space).count() == 1
    come_in(space, *COOKING, *COOKING[:2], minute=0, process=False)
    left = Message.objects.filter(conversation_id=conversation_id, episode__isnull=True)
    assert left.count() == 2
    come_in(space, *COOKING, *COOKING[:2], minute=0)
    assert not left.exists()
    assert [len(topic) for topic in topics(space)] == [6]
