"""Word diffs: what was taken away, what came, and when a diff says nothing."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.wording import Piece, difference


def test_changed_words_are_removed_then_added() -> None:
    diff = difference("Ana works at Contoso", "Ana works at Northwind")
    assert diff.pieces == (
        Piece("same", "Ana works at "),
        Piece("removed", "Contoso"),
        Piece("added", "Northwind"),
    )


def test_neighbouring_changes_read_as_one_phrase() -> None:
    diff = difference("She lives in New York today", "She lives in San Jose today")
    assert Piece("removed", "New York") in diff.pieces
    assert Piece("added", "San Jose") in diff.pieces


def test_texts_far_apart_are_shown_as_blocks() -> None:
    assert difference("Ana runs in April", "Atlas pays from Lisbon").as_blocks
    assert not difference("Ana works at Contoso", "Ana works at Northwind").as_blocks


def test_chinese_is_compared_by_character() -> None:
    diff = difference("她住在北京", "她住在上海")
    assert Piece("same", "她住在") in diff.pieces
    assert not diff.as_blocks


def test_the_pieces_give_both_texts_back() -> None:
    before, after = "The diet is vegetarian, mostly.", "The diet is vegan, always so!"
    diff = difference(before, after)
    assert "".join(p.text for p in diff.pieces if p.change != "added") == before
    assert "".join(p.text for p in diff.pieces if p.change != "removed") == after


def test_equal_texts_are_the_same() -> None:
    diff = difference("Ana runs", "Ana runs")
    assert diff.is_same
    assert diff.similarity == 1.0


def test_a_short_word_between_changes_is_drawn_into_them() -> None:
    diff = difference("Ana is allergic to peanuts", "Ana’s allergy is to cashews, not to peanuts")
    assert [piece.change for piece in diff.pieces] == ["same", "removed", "added", "same"]


def test_a_longer_word_between_changes_stays() -> None:
    diff = difference("works at Contoso as a data analyst", "works at Northwind as a data engineer")
    assert Piece("same", " as a data ") in diff.pieces


@given(st.text("ab 京,", max_size=30), st.text("ab 京,", max_size=30))
def test_any_two_texts_come_back_from_their_pieces(before: str, after: str) -> None:
    pieces = difference(before, after).pieces
    assert "".join(p.text for p in pieces if p.change != "added") == before
    assert "".join(p.text for p in pieces if p.change != "removed") == after
