"""Where sentences end: the cases chats are made of."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved. I like it!", ["I moved.", "I like it!"]),
        ("Dr. Osei called at 9 a.m. today.", ["Dr. Osei called at 9 a.m. today."]),
        ("We meet at 9 a.m. Bring tea.", ["We meet at 9 a.m.", "Bring tea."]),
        (
            "See https://example.org/a.b?c=1. Then write.",
            ["See https://example.org/a.b?c=1.", "Then write."],
        ),
        ("Write to lea.k@example.org. Thanks.", ["Write to lea.k@example.org.", "Thanks."]),
        (
            "It costs 3.5 euros, see settings.py please",
            ["It costs 3.5 euros, see settings.py please"],
        ),
        ("No. I never said that.", ["No.", "I never said that."]),
        ("He met J. Okafor there. Nice.", ["He met J. Okafor there.", "Nice."]),
        ("Well... maybe later. Yes", ["Well... maybe later.", "Yes"]),
        ("Really?! Wow", ["Really?!", "Wow"]),
        ("我住在柏林。我喜欢茶！你呢？", ["我住在柏林。", "我喜欢茶！", "你呢？"]),
        ("「行きます。」と言った。次", ["「行きます。」", "と言った。", "次"]),
        ("هل تعمل؟ نعم.", ["هل تعمل؟", "نعم."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("Look at this! [a note. with stops] Bye.", ["Look at this!", "[a note. with stops] Bye."]),
        ("She said “I left.” Then silence.", ["She said “I left.”", "Then silence."]),
        ("i moved to ulm. i like it.", ["i moved to ulm.", "i like it."]),
        ("Do:\n1. Buy tea.\n2. Rest.", ["Do:", "1. Buy tea.", "2. Rest."]),
        ("", []),
        ("   \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert sentences.texts(text) == expected


def test_a_fenced_block_stays_in_one_piece() -> None:
    text = "Use this:\n```\na = 1.\nb = 2.\n```\nDone."
    assert sentences.texts(text) == ["Use this:", "```\na = 1.\nb = 2.\n```", "Done."]


def test_offsets_count_code_points_past_emoji() -> None:
    text = "👩‍👩‍👧 ok! I moved."
    start, end = sentences.split(text)[-1]
    assert text[start:end] == "I moved."


@given(st.text(alphabet=st.sampled_from("aI .!?\n。[]`👍1"), max_size=60))
def test_spans_cover_every_visible_character_once(text: str) -> None:
    spans = sentences.split(text)
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
