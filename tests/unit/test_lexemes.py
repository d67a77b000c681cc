"""A text and a query about it are cut into the same lexemes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.lexemes import index_text, query_terms


def lexemes_of(text: str, *, language: str = "") -> set[str]:
    """Return the lexemes of an indexed text, without their positions."""
    literal = index_text(text, language=language).literal
    return {item.rsplit(":", 1)[0].strip("'") for item in literal.split(" ") if item}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ana writes C++ at work", "c++"),
        ("They ship node.js services", "Node.js"),
        ("It was -5 outside", "-5"),
        ("Write to ana.b@example.com", "ANA.B@EXAMPLE.COM"),
        ("The package_manager is pnpm", "package_manager"),
        ("Sie wohnt in München", "munchen"),
        ("我住在北京市", "北京"),
        ("東京タワーが好き", "タワー"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
        ("She is studying glasses", "study glass"),
        ("They hopped and baked", "hopping baking"),
        ("مُحَمَّد يسكن", "محمد"),
        ("मैं हिन्दी बोलता हूँ", "हिन्दी"),
        ("ผมชอบแมว", "แมว"),
        ("Ana's flat", "Ana"),
    ],
)
def test_a_text_is_found_by_its_words_however_they_are_written(text: str, query: str) -> None:
    assert set(query_terms(query)) <= lexemes_of(text)
    assert query_terms(query)


@pytest.mark.parametrize(
    ("text", "query"),
    [("Ana writes C", "C++"), ("It was 5 outside", "-5"), ("C# only", "C")],
)
def test_signs_that_carry_meaning_tell_texts_apart(text: str, query: str) -> None:
    assert not set(query_terms(query)) & lexemes_of(text)


def test_part_of_an_identifier_finds_it() -> None:
    assert {"node", "js"} <= lexemes_of("node.js")
    assert "example.com" not in query_terms("node.js")


def test_function_words_are_left_out_unless_nothing_else_is_asked() -> None:
    assert query_terms("what is the city") == ("city",)
    assert query_terms("who") == ("who",)
    assert "not" in lexemes_of("She does not eat fish")


def test_the_function_words_of_the_given_language_are_left_out() -> None:
    assert lexemes_of("die Katze", language="de") == {"katz"}
    assert "die" in lexemes_of("plants die", language="en")


def test_length_counts_every_occurrence() -> None:
    found = index_text("tea, tea and more tea")
    assert found.length == 4
    assert "'tea':1,2,4" in found.literal


def test_a_very_long_text_stays_within_the_limits_of_a_tsvector() -> None:
    found = index_text(" ".join(f"word{number}" for number in range(40_000)))
    assert found.length == 16_383
    repeated = index_text("tea " * 1000)
    assert repeated.literal.count(",") == 254


@given(st.text())
def test_a_text_is_always_found_by_itself(text: str) -> None:
    terms = query_terms(text)
    assert len(set(terms)) == len(terms)
    assert not any("\x00" in term for term in terms)
    assert index_text(text) == index_text(text)
