"""The same thing measured again is a change; two things that share a number are not."""

import pytest

from extraction.engines.local.quantities import kinds, shared_topic


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "Ana tagged a release of the repository with 150 commits merged.",
            "Ana's repository has now reached 165 commits merged.",
        ),
        (
            "Ana tagged a release of the repository with 150 commits merged.",
            "The growth of commits merged into the repository has now reached 165.",
        ),
        (
            "Ana has 45 sources in their Zotero library.",
            "Ana now has 52 sources in their Zotero library.",
        ),
        (
            "Ana measured the login API response time at 180ms.",
            "Ana's login API response time improved to 120ms.",
        ),
        (
            "Ana has a Zoom meeting with Professor Danielle on March 22 at 3 PM.",
            "Ana's Zoom meeting with Professor Danielle was rescheduled to March 22 at 4:30 PM.",
        ),
        (
            "Ana's deadline for the peer-reviewed draft is April 20.",
            "Ana's deadline for the peer-reviewed draft moved to April 25.",
        ),
        (
            "Ana is proud of training those 5 girls at the boathouse.",
            "The number of trainees they work with has increased to 7.",
        ),
        ("Ana merged 150 commits in May.", "The number of commits has now reached 165."),
    ],
)
def test_the_same_thing_measured_again_is_a_change(earlier: str, later: str) -> None:
    assert shared_topic(later, earlier) > 0


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Ana has 2 dogs.", "Ana now has 3 cats."),
        ("Ana ran 5 miles on Monday.", "Ana reached 5 miles on Monday."),
        ("Ana paid $40 for dinner with Ben.", "Ana paid $90 for new running shoes."),
        ("Ana met Ben on April 5.", "Ana met Carla on April 9."),
        ("Ana uses Python 3.11 for the parser.", "Ana now uses Python 3.12 for the parser."),
        ("Ana's triangle has sides of 7 cm and 9 cm.", "Ana's triangle has sides of 8 cm."),
        ("Ana has a plan.", "Ana has a new plan."),
        ("Ana met 5 women at the boathouse.", "The number of trainees has increased to 7."),
        ("Ana trains for 5 people.", "The number of trainees has increased to 7."),
        ("Ana merged 150 commits in May.", "The number of commits is 165."),
        (
            "Ana tagged a release of the repository with 150 commits merged.",
            "The growth of commits merged into the repository led to a party at 165 Main Street.",
        ),
    ],
)
def test_another_thing_with_a_number_changes_nothing(earlier: str, later: str) -> None:
    assert shared_topic(later, earlier) == 0


@pytest.mark.parametrize(
    ("text", "kinds_told"),
    [
        ("It takes 180 ms, under the 250ms target.", {"seconds"}),
        ("Approximately $80,000 a year.", {"$"}),
        ("Around 140MB per session.", {"bytes"}),
        ("Due on April 5, 2024, at 4:30 PM.", {"date", "time"}),
        ("Ana has 7 dogs and 98% of a plan.", {"%"}),
        ("Ana has 7 dogs.", set()),
    ],
)
def test_figures_that_are_no_mere_counts_have_a_kind(text: str, kinds_told: set[str]) -> None:
    assert kinds(text) == kinds_told


def test_the_kinds_of_some_figures_only_can_be_asked_for() -> None:
    text = "Ana handles 1,075 items, 50% more."

    assert kinds(text, of=frozenset({"1,075"})) == set()
    assert kinds(text, of=frozenset({"50"})) == {"%"}
