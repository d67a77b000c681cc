"""Words are found however they are written, and masked where they stand and nowhere else."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.erasing.finding import covers, leaves, mask, occurrences
from knowledge.fingerprints import essential, fingerprint
from knowledge.models.erasure_guards import MASK

DECOMPOSED = unicodedata.normalize("NFD", "Zoë Müßler")
# Letters whose forms, widths, cases and neighbours matter, and what stands between them.
LETTERS = "abAßéÉsﬁxＡ９9_花生アش̈́ \t\n-.,()*+\\'\"\u00ad\u200b😀👍🏽"


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        pytest.param("Lisbon", "LISBON or lisbon", ["LISBON", "lisbon"], id="case"),
        pytest.param("strasse", "in der Straße 5", ["Straße"], id="letters that fold to two"),
        pytest.param("Zebra77", "It is Ｚｅｂｒａ７７ still", ["Ｚｅｂｒａ７７"], id="width"),
        pytest.param("Zoë Müßler", f"saw {DECOMPOSED} today", [DECOMPOSED], id="marks apart"),
        pytest.param(DECOMPOSED, "saw Zoë Müßler today", ["Zoë Müßler"], id="marks together"),
        pytest.param("花生", "我昨天又吃了花生酱。", ["花生"], id="no spaces between words"),
        pytest.param("แมว", "ผมชอบแมวมาก", ["แมว"], id="no spaces, with vowel signs"),
        pytest.param("peanuts", "pea\u200bnuts!", ["pea\u200bnuts"], id="zero-width space"),
        pytest.param("peanuts", "pea\u00adnuts!", ["pea\u00adnuts"], id="soft hyphen"),
        pytest.param("pea\u00adnuts", "peanuts", ["peanuts"], id="soft hyphen in what is sought"),
        pytest.param("x.*y", "x.*y, but xaay", ["x.*y"], id="signs of patterns"),
        pytest.param("C++ (new)", "in C++ (new) today", ["C++ (new)"], id="brackets"),
        pytest.param('a"b\\c', 'say a"b\\c', ['a"b\\c'], id="quotes and backslashes"),
        pytest.param("naïve 😀👍🏽", "so naïve 😀👍🏽 ok", ["naïve 😀👍🏽"], id="emoji"),
        pytest.param("שלום עולם", "אמר שלום עולם אז", ["שלום עולם"], id="right to left"),
        pytest.param("art", "party, smart, arts, art_1", [], id="inside other words"),
        pytest.param("art", "art, (art) art-house", ["art", "art", "art"], id="beside signs"),
        pytest.param("ends.", "it ends. And ends", ["ends."], id="full stop at the end"),
        pytest.param("42", "420, 142, 42", ["42"], id="inside other numbers"),
        pytest.param("road 5", "Road \t\n 5", ["Road \t\n 5"], id="white space"),
        pytest.param("  tea ", "tea", ["tea"], id="white space around what is sought"),
        pytest.param("aXa", "axaxa axa", ["axa"], id="overlapping itself"),
        pytest.param(" \u200b ", "anything  at \u200b all", [], id="nothing to be seen"),
        pytest.param("tea", "", [], id="no text"),
    ],
)
def test_words_are_found_however_they_are_written(words: str, text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in occurrences(words, text)] == found


def test_spans_count_the_letters_of_the_text_as_it_was_written() -> None:
    """What is folded away, or folds to more letters, moves no span."""
    text = f"ßß 😀 {DECOMPOSED} \u200b\u00ad tea"
    assert occurrences("tea", text) == ((len(text) - 3, len(text)),)


def test_masking_replaces_letter_by_letter_and_keeps_to_the_text() -> None:
    assert mask("I like tea.", [(7, 10), (-5, 1), (10, 99)]) == f"{MASK} like {MASK * 4}"
    assert mask("I like tea.", []) == "I like tea."


def test_a_span_is_covered_where_it_shares_a_letter() -> None:
    assert covers([(0, 2), (4, 6)], (5, 9))
    assert not covers([(0, 2), (4, 6)], (2, 4))


def test_leaves_of_a_record_are_its_texts_and_never_its_keys() -> None:
    body = {"text": "one", "list": ["two", 3, None, {"deep": "three", "flag": True}], "n": 4}
    assert list(leaves(body)) == ["one", "two", "three"]
    assert list(leaves("alone")) == ["alone"] and list(leaves(None)) == []


@pytest.mark.parametrize(
    "written",
    [
        "peanuts.",
        "“peanuts”",
        "«peanuts»!",
        "pea\u200bnuts",
        "pea\u00adnuts",
        "(peanuts)",
        "「peanuts」",
    ],
)
def test_what_is_around_a_value_and_what_is_not_seen_are_not_of_its_essence(written: str) -> None:
    assert essential(written) == "peanuts"


@pytest.mark.parametrize(
    ("left", "right"), [("C++", "C"), ("-5", "5"), ("3.14", "314"), ("#1", "1")]
)
def test_signs_that_carry_meaning_are_of_its_essence(left: str, right: str) -> None:
    assert fingerprint("x", essential(left)) != fingerprint("x", essential(right))


@st.composite
def texts_with_words(draw: st.DrawFn) -> tuple[str, str]:
    """Words, and a text that is likely to hold them."""
    words = draw(st.text(LETTERS, min_size=1, max_size=4))
    parts = draw(st.lists(st.text(LETTERS, max_size=5) | st.just(words), max_size=6))
    return words, "".join(parts)


@given(texts_with_words())
def test_masked_words_are_found_no_more_and_all_else_stays(given_texts: tuple[str, str]) -> None:
    words, text = given_texts
    spans = occurrences(words, text)
    masked = mask(text, spans)

    assert occurrences(words, masked) == ()
    inside = {place for start, end in spans for place in range(start, end)}
    assert len(masked) == len(text)
    assert all(masked[at] == (MASK if at in inside else text[at]) for at in range(len(text)))
    assert all(0 <= start < end <= len(text) for start, end in spans)


@given(st.text(LETTERS, min_size=1, max_size=8))
def test_words_are_found_in_themselves_in_every_case_and_form(words: str) -> None:
    is_something = bool(essential(words))
    for form in (words, words.upper(), unicodedata.normalize("NFD", words), f" {words} "):
        assert bool(occurrences(words, form)) or not is_something


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("김철수", "저는 김철수 입니다"),
        ("কোম", "কোম আছে"),
        ("❤", "I ❤\ufe0f it"),
    ],
)
def test_letters_written_apart_are_found_and_masked_whole(words: str, text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    spans = occurrences(words, apart)
    assert len(spans) == 1
    assert occurrences(words, mask(apart, spans)) == ()
