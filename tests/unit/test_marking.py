"""Marks on original words: code points, whole characters, nothing hidden."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.marking import Span, excerpt, mark, name_of, visible


def shape(text: str, *spans: Span) -> list[tuple[str, tuple[int, ...]]]:
    return [(part.text, tuple(s.number for s in part.spans)) for part in mark(text, spans)]


def test_a_span_is_cut_out_of_its_message() -> None:
    assert shape("I work at Northwind now", Span(10, 19, 1)) == [
        ("I work at ", ()),
        ("Northwind", (1,)),
        (" now", ()),
    ]


def test_offsets_after_an_emoji_count_code_points_not_utf16() -> None:
    text = "🚲🚲 I cycle"
    assert shape(text, Span(3, 4, 1))[1] == ("I", (1,))


def test_a_span_that_would_cut_a_family_emoji_takes_the_whole_family() -> None:
    family = "👩‍👩‍👧"
    assert shape(f"we {family} here", Span(4, 5, 1))[1] == (family, (1,))


def test_a_span_that_would_cut_an_accent_takes_letter_and_accent() -> None:
    assert shape("Toma\u0301s calls", Span(3, 4, 1))[1] == ("a\u0301", (1,))


def test_right_to_left_words_keep_their_order_and_span() -> None:
    text = "أنا أعمل في لشبونة"
    assert shape(text, Span(12, 18, 2)) == [("أنا أعمل في ", ()), ("لشبونة", (2,))]


def test_overlapping_spans_share_the_words_they_share() -> None:
    assert shape("one two three", Span(0, 7, 1), Span(4, 13, 2)) == [
        ("one ", (1,)),
        ("two", (1, 2)),
        (" three", (2,)),
    ]


def test_a_span_inside_another_is_listed_after_it() -> None:
    assert shape("one two three", Span(4, 7, 2), Span(0, 13, 1))[1] == ("two", (1, 2))


def test_a_number_is_printed_once_where_its_span_ends() -> None:
    parts = mark("one two three", [Span(0, 7, 1), Span(4, 13, 2)])
    assert [part.closes for part in parts] == [(), (1,), (2,)]
    assert [part.opens for part in parts] == [(1,), (2,), ()]


@pytest.mark.parametrize("span", [Span(5, 5, 1), Span(9, 3, 1), Span(40, 50, 1), Span(-9, -2, 1)])
def test_a_span_without_words_marks_nothing(span: Span) -> None:
    assert shape("short text", span) == [("short text", ())]


def test_a_span_beyond_the_end_is_clipped() -> None:
    assert shape("short", Span(2, 99, 1)) == [("sh", ()), ("ort", (1,))]


@pytest.mark.parametrize(
    ("character", "shown"),
    [
        ("\u200b", "U+200B"),
        ("\u202e", "U+202E"),
        ("\u2066", "U+2066"),
        ("\ufeff", "U+FEFF"),
        ("\u00ad", "U+00AD"),
        ("\x07", "U+0007"),
        ("\u3164", "U+3164"),
        ("\U000e0041", "U+E0041"),
        ("\u2028", "U+2028"),
    ],
)
def test_an_invisible_character_is_named(character: str, shown: str) -> None:
    hidden = [part.hidden for part in visible(f"pay{character}me") if part.hidden]
    assert hidden == [shown]


def test_a_hidden_character_stays_inside_its_mark() -> None:
    parts = mark("a\u200bb", [Span(0, 3, 1)])
    assert [(part.hidden, len(part.spans)) for part in parts] == [("", 1), ("U+200B", 1), ("", 1)]
    assert [part.closes for part in parts] == [(), (), (1,)]


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧", "🏴\U000e0067\U000e0062\U000e007f", "❤️", "क्‍ष", "می‌خواهم", "a\nb\tc"]
)
def test_joiners_that_shape_a_character_are_left_alone(text: str) -> None:
    assert [part.hidden for part in visible(text) if part.hidden] == []


def test_a_joiner_between_latin_letters_is_named() -> None:
    assert [part.hidden for part in visible("pass\u200dword") if part.hidden] == ["U+200D"]


def test_an_excerpt_does_not_cut_a_character() -> None:
    assert excerpt("ab👩‍👩‍👧cd", limit=4) == "ab…"
    assert excerpt("short", limit=9) == "short"


def test_a_hidden_character_has_a_name() -> None:
    assert name_of("\u202e") == "right-to-left override"
    assert name_of("\x07") == "control character"


@given(
    st.text(max_size=40), st.lists(st.tuples(st.integers(-3, 45), st.integers(-3, 45)), max_size=5)
)
def test_whatever_is_marked_the_words_stay_the_same(
    text: str, pairs: list[tuple[int, int]]
) -> None:
    spans = [Span(start, end, number) for number, (start, end) in enumerate(pairs, start=1)]
    parts = mark(text, spans)
    assert "".join(part.text for part in parts) == text
    for start, end in ((s.start, s.end) for s in spans if 0 <= s.start < s.end <= len(text)):
        marked = "".join(
            p.text for p in parts if any(q.start <= start and q.end >= end for q in p.spans)
        )
        assert text[start:end] in marked
