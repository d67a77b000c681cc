"""When the oracle takes a statement for the new value of something that changed."""

import pytest

from extraction.evaluation.datasets import Contradiction, Question, Sample, Update
from extraction.evaluation.speaking import carries_new_value

OLD, NEW = frozenset({"1"}), frozenset({"2"})
NUMBERED = Update("How long?", "Around 250 ms", OLD, NEW, True, frozenset({"250"}))
WORDED = Update("Which framework?", "the Bootstrap grid system", OLD, NEW, False)


@pytest.mark.parametrize(
    ("text", "carries"),
    [
        ("It takes 250 ms.", True),
        ("It takes around 2500 ms.", False),
        ("It takes 400 ms.", False),
        ("It is around as fast.", False),
    ],
)
def test_a_number_of_the_answer_tells_the_new_value(text: str, carries: bool) -> None:
    assert carries_new_value(text, NUMBERED) is carries


@pytest.mark.parametrize(
    ("text", "carries"),
    [
        ("User now uses the grid of Bootstrap.", True),
        ("User likes the grid of the shop.", False),
        ("", False),
    ],
)
def test_without_a_number_most_words_of_the_answer_do(text: str, carries: bool) -> None:
    assert carries_new_value(text, WORDED) is carries


def test_an_answer_without_words_is_carried_by_nothing() -> None:
    assert not carries_new_value("Yes.", Update("Is it?", "", OLD, NEW, False))


def test_named_turns_are_those_of_every_label_but_the_adversarial() -> None:
    sample = Sample(
        "s",
        (),
        questions=(Question("a", "x", ("3",)), Question("b", "adversarial", ("9",), False)),
        facts=frozenset({"4"}),
        updates=(NUMBERED,),
        contradictions=(Contradiction("c", (frozenset({"5"}), frozenset({"6"}))),),
    )

    assert sample.gold_turns == {"1", "2", "3", "4", "5", "6"}
