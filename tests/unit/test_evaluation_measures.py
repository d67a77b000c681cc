"""The figures of an evaluation, on data small enough to count by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from extraction.evaluation import measures
from extraction.evaluation.causes import fate_of_needed, regretted
from extraction.evaluation.datasets import Contradiction, Question, Sample, Turn, Update
from extraction.evaluation.measures import Held

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def turn(key: str, text: str = "four words of talk", *, session: str = "1") -> Turn:
    """Make a turn said by Ana, a minute after noon for each of its number."""
    said_at = NOON + timedelta(minutes=int(key[1:]))
    return Turn(key, "Ana", "user_message", text, session, said_at)


def question(*gold: str, category: str = "single-hop", counts: bool = True) -> Question:
    """Make a question that needs these turns."""
    return Question("What?", category, gold, counts)


TALK = tuple(turn(f"t{n}") for n in range(5))  # 20 words
UPDATE = Update(
    "How many?", "20 eggs", frozenset({"t1"}), frozenset({"t3"}), True, frozenset({"20"})
)
SAID_AT = {one.id: one.said_at for one in TALK}


def sample(*questions: Question, facts: frozenset[str] | None = None) -> Sample:
    """Make a sample of the five turns."""
    return Sample("s", TALK, questions, facts=facts)


# --- what was kept ---


def test_precision_and_recall_compare_the_turns_cited_with_those_that_hold_a_fact() -> None:
    held = [Held("Ana likes tea", ("t0", "t1")), Held("Ana is tall", ("t1", "t2"))]

    figures = measures.kept(sample(facts=frozenset({"t1", "t4"})), held).figures()

    assert figures["turn_precision"] == round(1 / 3, 4)
    assert figures["turn_recall"] == 0.5
    assert figures["words_kept"] == 6 / 20


def test_a_turn_is_needed_as_often_as_questions_need_it_and_adversarial_ones_need_nothing() -> None:
    asked = (
        question("t0", "t4"),
        question("t4"),
        question("t2", category="adversarial", counts=False),
    )

    figures = measures.kept(sample(*asked), [Held("x", ("t4",))]).figures()

    assert figures["need_recall"] == round(2 / 3, 4)


def test_sources_that_are_no_turns_are_not_counted_as_cited() -> None:
    held = [Held("x", ("t1", "elsewhere"))]

    assert measures.kept(sample(facts=frozenset({"t1"})), held).figures()["turn_precision"] == 1


def test_without_labels_there_is_no_figure_instead_of_a_zero() -> None:
    figures = measures.kept(sample(), [Held("x", ("t1",))]).figures()

    assert figures["turn_precision"] is None
    assert figures["turn_recall"] is None
    assert figures["need_recall"] is None


# --- what is found ---


def hits(*sources: Sequence[str]) -> list[Held]:
    """Make hits of two words each."""
    return [Held("two words", tuple(one)) for one in sources]


def test_recall_is_the_share_of_needed_turns_among_the_first_hits() -> None:
    nothing = [["t9"]] * 5

    one = measures.finding(question("t0", "t1"), hits(["t9"], ["t0"], *nothing, ["t1"]))

    assert (one.recall[5], one.recall[10]) == (0.5, 1.0)
    assert (one.whole[5], one.whole[10]) == (False, True)
    assert one.reciprocal_rank == 0.5
    assert one.words == 16


def test_a_hit_that_cites_everything_counts_with_its_first_four_sources_only() -> None:
    all_turns = ["t0", "t1", "t2", "t3", "t4"]

    assert measures.finding(question("t4"), hits(all_turns)).recall[5] == 0
    assert measures.finding(question("t3"), hits(all_turns)).recall[5] == 1


def test_totals_leave_out_what_does_not_count_and_categories_do_not() -> None:
    found = [
        measures.finding(question("t0"), hits(["t0"])),
        measures.finding(question("t0", category="adversarial", counts=False), hits(["t9"])),
    ]

    figures = measures.found(found)

    assert figures["recall_at_5"] == 1
    assert figures["questions"] == 1
    by_category = figures["by_category"]
    assert isinstance(by_category, dict)
    assert by_category["adversarial"]["recall_at_5"] == 0
    assert by_category["single-hop"]["n"] == 1


def test_no_questions_give_no_figures() -> None:
    assert measures.found([])["recall_at_10"] is None


def test_sessions_are_ranked_by_their_first_turn_each_once() -> None:
    session_of = {"t0": "a", "t1": "a", "t2": "b", "t3": "c"}
    asked, served = measures.in_sessions(
        question("t0", "t3"), hits(["t0", "t1"], ["t1"], ["t2"], ["t3"]), session_of=session_of
    )

    figures = measures.first_sessions(asked, served)

    assert asked.gold == ("a", "c")
    assert figures["session_recall_at_1"] == 0.5
    assert figures["session_recall_at_3"] == 1.0
    assert measures.finding(asked, served).recall[5] == 1.0


# --- changes ---


def answering(now: list[Held], then: list[Held]) -> measures.Search:
    """Answer with ``now``, and with ``then`` when asked about the past."""
    return lambda query, k, as_of: (now if as_of is None else then)[:k]


@pytest.mark.parametrize(
    ("served", "has_new", "is_stale_out"),
    [
        (hits(["t3"]), True, True),
        (hits(["t3"], ["t1"]), True, False),
        (hits(["t1"]), False, False),
        (hits(["t3", "t1"]), True, True),  # one statement on both turns tells the new value
        (hits(["t0"]), False, True),
        ([], False, True),
        (hits(*[["t0"]] * 5, ["t3"], ["t1"]), False, True),  # beyond the fifth
    ],
)
def test_the_new_value_is_to_be_served_and_the_stale_one_not(
    served: list[Held], has_new: bool, is_stale_out: bool
) -> None:
    one = measures.renewal(UPDATE, answering(served, []), said_at=SAID_AT)

    assert (one.has_new, one.is_stale_out) == (has_new, is_stale_out)
    assert one.is_right == (has_new and is_stale_out)


@pytest.mark.parametrize(
    ("then", "brings_old_back"),
    [
        (hits(["t1"]), True),
        (hits(["t1"], ["t3"]), False),  # what was not yet said
        (hits(["t0"]), False),
        ([], False),
    ],
)
def test_just_before_the_change_the_old_value_is_served_and_nothing_later(
    then: list[Held], brings_old_back: bool
) -> None:
    asked: list[datetime | None] = []

    def search(query: str, k: int, as_of: datetime | None) -> list[Held]:
        asked.append(as_of)
        return then if as_of else []

    one = measures.renewal(UPDATE, search, said_at=SAID_AT)

    assert one.brings_old_back == brings_old_back
    assert asked == [None, NOON + timedelta(minutes=3) - timedelta(seconds=1)]


def test_checked_labels_are_averaged_apart() -> None:
    unchecked = Update("How many?", "some", frozenset({"t1"}), frozenset({"t3"}), False)
    right = measures.renewal(UPDATE, answering(hits(["t3"]), []), said_at=SAID_AT)
    wrong = measures.renewal(unchecked, answering(hits(["t1"]), []), said_at=SAID_AT)

    figures = measures.renewed([right, wrong])

    assert (figures["update_both"], figures["correct_clean@5"]) == (0.5, 1.0)
    assert (figures["update_stale_out"], figures["stale_out_clean@5"]) == (0.5, 1.0)
    assert (figures["updates"], figures["updates_clean"]) == (2, 1)


def test_a_contradiction_needs_both_its_sides() -> None:
    one = Contradiction("Have I?", (frozenset({"t0"}), frozenset({"t1", "t2"})))

    assert measures.sides_found(one, answering(hits(["t0"], ["t2"]), []), depth=5)
    assert not measures.sides_found(one, answering(hits(["t0"], ["t2"]), []), depth=1)


# --- causes ---


def test_each_needed_turn_that_was_not_served_has_one_cause() -> None:
    fates = {"t0": "approved", "t1": "approved", "t2": "covered", "t3": "set aside: trivial"}

    counted = fate_of_needed(question("t0", "t1", "t2", "t3"), hits(["t0"]), fates=fates)

    assert counted == {
        "found among 20": 1,
        "approved, not among 20": 1,
        "covered": 1,
        "set aside: trivial": 1,
    }


def test_regret_counts_needed_turns_that_were_only_set_aside_or_covered() -> None:
    fates = {"t0": "covered", "t1": "set aside: trivial", "t2": "approved", "t3": "nothing"}
    asked = question("t0", "t1", "t2", "t3"), question("t0", counts=False)

    assert regretted(sample(*asked), fates) == 2
