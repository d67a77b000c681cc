"""What is set aside, what joins what is there, and that little else is dropped."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.embeddings.base import DuplicateThresholds
from extraction.gates import (
    ASIDE_WORDS,
    AsideReason,
    Gate,
    GateContext,
    Neighbour,
    gate,
    is_duplicate,
    is_general_knowledge,
    is_trivial,
    was_rejected,
)
from workbench import vocabulary

THRESHOLDS = DuplicateThresholds(near=0.90, same=0.95)
VECTOR = (3.0, 0.0)  # not normalised: cosine must not care
ALIKE = (0.5, 0.05)
UNLIKE = (0.0, 1.0)
GOOD = GateContext(
    text="Ana works at Northwind",
    confidence=0.9,
    confidence_floor=0.7,
    subject_name="Ana",
    quotes=("I work at Northwind",),
    vector=VECTOR,
    thresholds=THRESHOLDS,
)


def neighbour(text: str, state: str = "pending", **more: object) -> Neighbour:
    fields: dict[str, object] = {"ref": f"proposal:{state}", "vector": ALIKE, **more}
    return Neighbour(text=text, state=state, **fields)  # type: ignore[arg-type]  # any field


def test_a_grounded_asserted_confident_statement_waits_for_a_curator() -> None:
    assert gate(GOOD) == Gate()
    assert gate(GOOD).passes


REASONS: list[tuple[dict[str, object], AsideReason]] = [
    ({"grounding": "ungrounded"}, AsideReason.UNGROUNDED),
    ({"grounding": "not_said_by_subject"}, AsideReason.NOT_SAID_BY_SUBJECT),
    ({"confidence": 0.69}, AsideReason.LOW_CONFIDENCE),
    ({"confidence": float("nan")}, AsideReason.LOW_CONFIDENCE),
    ({"modality": "hypothetical"}, AsideReason.NOT_ASSERTED),
    ({"modality": "question"}, AsideReason.NOT_ASSERTED),
    ({"modality": "quoted"}, AsideReason.NOT_ASSERTED),
    ({"text": ""}, AsideReason.TRIVIAL),
    ({"text": "Ana agrees"}, AsideReason.TRIVIAL),
    ({"notes": ("general_knowledge",)}, AsideReason.GENERAL_KNOWLEDGE),
    ({"neighbours": (neighbour(GOOD.text),)}, AsideReason.NEAR_DUPLICATE),
    (
        {"neighbours": (neighbour(GOOD.text, "rejected", shares_message=True),)},
        AsideReason.REJECTED_BEFORE,
    ),
]
# The store sets it itself, where it knows the fingerprints: see the tests of tombstones.
SET_BY_THE_STORE = {AsideReason.BLOCKED_BY_TOMBSTONE}


@pytest.mark.parametrize(("change", "reason"), REASONS)
def test_each_reason_sets_a_candidate_aside(change: dict[str, object], reason: AsideReason) -> None:
    result = gate(replace(GOOD, **change))  # type: ignore[arg-type]  # any field

    assert result.aside_reason is reason
    assert not result.passes


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 0.7},
        {"modality": "negated", "text": "Ana does not eat meat"},
        {"text": "Ana uses pnpm"},
        {"text": "Always lint"},
    ],
)
def test_what_the_gates_let_through(change: dict[str, object]) -> None:
    assert gate(replace(GOOD, **change)).passes  # type: ignore[arg-type]  # any field


def test_no_reason_goes_untried() -> None:
    assert {reason for _, reason in REASONS} | SET_BY_THE_STORE == set(AsideReason)


def test_every_reason_has_words_for_the_curator() -> None:
    assert set(ASIDE_WORDS) == set(AsideReason)
    sentences = [vocabulary.aside(reason) for reason in AsideReason]
    assert len(set(sentences)) == len(AsideReason)
    assert all(" " in words and "_" not in words and words.endswith(".") for words in sentences)


@pytest.mark.parametrize(
    ("text", "trivial"),
    [
        ("", True),
        ("  …", True),
        ("ok", True),
        ("Ana agrees", True),
        ("Never gluten", False),
        ("Ana decided", False),
        ("Ana has a dog", False),
        ("好", True),
        ("安娜喜欢茶", False),
        ("我住在北京", False),
    ],
)
def test_trivial_is_one_or_two_words_without_a_lasting_one(text: str, *, trivial: bool) -> None:
    assert is_trivial(text) is trivial


@pytest.mark.parametrize(
    ("change", "general"),
    [
        (
            {
                "text": "Paris is the capital of France",
                "quotes": ("Paris is the capital of France",),
            },
            True,
        ),
        ({"text": "Python is a programming language", "quotes": ("Python is a language",)}, True),
        ({"text": "Ana is a programmer", "quotes": ("a programmer",)}, False),
        ({"text": "Paris is the home of the team", "quotes": ("our team is in Paris",)}, False),
        ({"text": "The deadline is 5 May", "quotes": ("deadline 5 May",)}, False),
        (
            {"text": "The API is a monolith", "subject_kind": "project", "quotes": ("a monolith",)},
            False,
        ),
        ({"text": "Rex is a poodle", "about": "Ana's dog", "quotes": ("Rex is a poodle",)}, False),
    ],
)
def test_general_knowledge_defines_the_world_and_not_the_subject(
    change: dict[str, object], *, general: bool
) -> None:
    assert is_general_knowledge(replace(GOOD, **change)) is general  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize("state", ["pending", "deferred", "awaiting_second", "current"])
def test_a_repeat_joins_what_waits_or_is_believed(state: str) -> None:
    twin = neighbour("Ana works at Northwind.", state)

    result = gate(replace(GOOD, neighbours=[twin]))

    assert result == Gate(AsideReason.NEAR_DUPLICATE, twin.ref)


def test_a_waiting_proposal_is_joined_before_a_current_statement() -> None:
    twins = [neighbour(GOOD.text, "current"), neighbour(GOOD.text, "pending")]

    assert gate(replace(GOOD, neighbours=twins)).join == "proposal:pending"


def test_a_rewording_joins_only_over_the_embedders_threshold() -> None:
    held = "Ana has been working at Northwind for years"
    text = "Ana is working at Northwind"

    def join(vector: tuple[float, ...] | None) -> str | None:
        return gate(replace(GOOD, text=text, neighbours=[neighbour(held, vector=vector)])).join

    assert join(ALIKE) == "proposal:pending"
    assert join(UNLIKE) is None
    assert join(None) is None


@pytest.mark.parametrize(
    "held",
    [
        "Ana works at Contoso",
        "Ana does not work at Northwind",
        "Ana worked at Northwind",
        "Ana's sister works at Northwind",
        "Ana wants to work at Northwind",
        "Ana has worked at 2 Northwind offices",
    ],
)
def test_a_changed_value_never_joins_however_alike_the_vectors(held: str) -> None:
    assert gate(replace(GOOD, neighbours=[neighbour(held, vector=VECTOR)])).passes


def test_what_adds_a_word_is_its_own_proposal() -> None:
    longer = replace(GOOD, text="Ana works at Northwind as an engineer")

    assert gate(replace(longer, neighbours=[neighbour("Ana works at Northwind")])).passes


def test_an_atomic_fact_joins_the_compound_one_of_another_session() -> None:
    compound = neighbour("Ana lives in Berlin and works at Northwind", vector=UNLIKE)

    assert gate(replace(GOOD, neighbours=[compound])).join == compound.ref


def test_an_update_is_never_joined_to_what_it_replaces() -> None:
    target = neighbour("Ana works at Northwind", "current", ref="statement:1")
    update = replace(GOOD, kind="update", target="statement:1", neighbours=[target])

    assert gate(update).passes
    assert gate(replace(update, kind="confirmation")).join == "statement:1"


def test_what_was_set_aside_before_does_not_hold_back_a_better_saying() -> None:
    aside = neighbour(GOOD.text, "set_aside")

    assert gate(replace(GOOD, neighbours=[aside])).passes
    assert gate(replace(GOOD, confidence=0.1, neighbours=[aside])) == Gate(
        AsideReason.LOW_CONFIDENCE, aside.ref
    )


def test_a_rejected_item_from_the_same_message_stays_aside_with_its_decision() -> None:
    rejected = neighbour(GOOD.text, "rejected", shares_message=True)

    assert gate(replace(GOOD, neighbours=[rejected])) == Gate(
        AsideReason.REJECTED_BEFORE, rejected.ref
    )


def test_a_rejected_item_said_again_elsewhere_waits_and_says_so() -> None:
    again = replace(GOOD, neighbours=[neighbour(GOOD.text, "rejected", shares_message=False)])

    assert gate(again).passes
    assert was_rejected(again)
    assert not was_rejected(GOOD)


def test_a_thought_is_set_aside_even_if_it_repeats_a_belief() -> None:
    thought = replace(GOOD, modality="hypothetical", neighbours=[neighbour(GOOD.text, "current")])

    assert gate(thought).aside_reason is AsideReason.NOT_ASSERTED


def test_thresholds_of_one_embedder_do_not_serve_another() -> None:
    strict = DuplicateThresholds(near=0.999, same=0.9999)
    new, held = "Ana is working at Northwind", "Ana has been working at Northwind for years"

    assert is_duplicate(new, held, likeness=0.95, thresholds=THRESHOLDS)
    assert not is_duplicate(new, held, likeness=0.95, thresholds=strict)
    assert not is_duplicate(new, held)


@settings(deadline=None, max_examples=80)
@given(
    st.text(max_size=40),
    st.text(max_size=40),
    st.sampled_from(["pending", "current", "set_aside", "rejected"]),
)
def test_gates_never_fail_and_join_only_what_they_were_shown(
    text: str, held: str, state: str
) -> None:
    result = gate(replace(GOOD, text=text, neighbours=[neighbour(held, state)]))

    assert result.join in {None, f"proposal:{state}"}
