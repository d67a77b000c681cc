"""What the curator who knows the labels keeps of a turn, and what it can say has changed."""

from typing import Any

import pytest

from extraction import recall
from extraction.evaluation import running
from extraction.evaluation.datasets import Contradiction, Dataset, Question, Sample, Turn, Update
from extraction.evaluation.running import Plan
from extraction.pipeline import default_tools
from knowledge.models import Proposal, Version
from knowledge.trust import TrustState
from tests.factories import NOW

pytestmark = pytest.mark.django_db

OLD, NEW = frozenset({"0"}), frozenset({"1"})


def chat(*said: str) -> tuple[Turn, ...]:
    """Make a chat of a person's messages, a day apart, each a session."""
    return tuple(
        Turn(str(n), "User", "user_message", text, str(n), NOW.replace(month=2, day=n + 1))
        for n, text in enumerate(said)
    )


def decided(
    *said: str,
    updates: tuple[Update, ...] = (),
    questions: tuple[Question, ...] = (),
    contradictions: tuple[Contradiction, ...] = (),
) -> dict[str, Any]:
    """Let the oracle decide about a chat, and give the figures."""
    sample = Sample(
        id="chat",
        turns=chat(*said),
        updates=updates,
        questions=questions,
        contradictions=contradictions,
    )
    return running.run(
        Dataset("beam", "", "x", (sample,)),
        plan=Plan(default_tools(), curator="oracle"),
        say=lambda _: None,
    )


def texts(state: TrustState) -> list[str]:
    """List the texts of proposals in a state, in their order."""
    return list(Proposal.objects.filter(state=state).order_by("pk").values_list("text", flat=True))


FASTER = Update(
    "How long does the dashboard API take to respond?",
    "250 ms",
    old=OLD,
    new=NEW,
    is_clean=True,
    values=frozenset({"250"}),
)


def test_of_the_turns_of_an_update_only_what_tells_its_values_is_kept() -> None:
    figures = decided(
        "My dashboard API takes 400 ms to respond. I use Flask for the API of the dashboard.",
        "My dashboard API takes 250 ms to respond. I want to make sure that the API stays up.",
        updates=(FASTER,),
    )

    assert texts(TrustState.APPROVED) == [
        "User's dashboard API takes 400 ms to respond.",
        "User's dashboard API takes 250 ms to respond.",
    ]
    assert texts(TrustState.REJECTED) == [
        "User uses Flask for the API of the dashboard.",
        "User wants to make sure that the API stays up.",
    ]
    assert figures["correct_clean@5"] == figures["as_of"] == 1.0
    assert Version.objects.filter(end_reason="superseded").count() == 1


def test_what_the_card_does_not_show_cannot_be_said_to_have_changed() -> None:
    figures = decided(
        "I look after 5 trainees from Oslo.",
        "My headcount went up to 7 people.",
        updates=(
            Update(
                "How many trainees do I look after?",
                "7",
                old=OLD,
                new=NEW,
                is_clean=True,
                values=frozenset({"7"}),
            ),
        ),
    )

    assert len(texts(TrustState.APPROVED)) == 2
    assert figures["update_stale_out"] == 0.0
    (miss,) = figures["misses"]
    assert "nothing of the new turn was said to change it" in miss["stale"]


def test_of_a_turn_that_a_question_needs_what_shares_its_words_is_kept() -> None:
    decided(
        "I work as a nurse at Bloom Clinic. I bought a red bicycle yesterday.",
        "I sold my piano to a neighbour.",
        questions=(Question("Where does User work as a nurse?", "any", ("0",), answer="Bloom"),),
        contradictions=(Contradiction("Have I ever owned a piano?", (NEW, frozenset({"9"}))),),
    )

    assert texts(TrustState.APPROVED) == [
        "User works as a nurse at Bloom Clinic.",
        "User sold their piano to a neighbour.",
    ]
    assert texts(TrustState.REJECTED) == ["User bought a red bicycle on 31 January 2026."]


def test_what_measured_the_same_before_is_found_even_where_the_engine_is_not_shown_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall, "MAX_STATEMENTS", 0)

    decided(
        "My dashboard API takes 400 ms to respond under load.",
        "My dashboard API now takes 250 ms to respond under load.",
        updates=(FASTER,),
    )

    renewed = Proposal.objects.get(text__contains="250 ms")
    assert renewed.kind_suggested == "update"
    old = "User's dashboard API takes 400 ms to respond under load."
    assert renewed.reason == f"possibly replaces: {old}"
