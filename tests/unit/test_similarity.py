"""What makes two texts the same, and what keeps a changed value from being swallowed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.errors import VectorMismatch
from extraction.languages import guess_language
from extraction.similarity import (
    adds_nothing,
    content_words,
    cosine,
    equal_words,
    guards_agree,
    is_clause_of,
    numbers_in,
    surprise,
)

quick = settings(deadline=None, max_examples=80)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The cats were running", "en", ("cat", "run")),
        ("Ａｎａ lives in ＢＥＲＬＩＮ", "en", ("ana", "liv", "berlin")),
        ("Ana's café", "en", ("ana", "caf")),
        ("Je n'aime pas l'eau", "fr", ("aime", "eau")),
        ("Ich wohne nicht in Köln", "de", ("wohn", "koln")),
        ("She codes in C++ and C# and R", "en", ("cod", "c++", "c#", "r")),
        ("1,000 steps, 2,5 km", "en", ("1000", "step", "2.5", "km")),
        ("我住在北京", "zh", ("我住", "住在", "在北", "北京")),
        ("猫", "ja", ("猫",)),
        ("", "", ()),
        ("🙂 — …", "", ()),
    ],
)
def test_content_words_are_folded_stemmed_and_free_of_function_words(
    text: str, language: str, expected: tuple[str, ...]
) -> None:
    assert content_words(text, language) == expected


def test_plurals_and_tenses_meet_but_different_names_do_not() -> None:
    assert content_words("cities moved") == content_words("city moves")
    assert content_words("npm") != content_words("pnpm")
    assert content_words("C") != content_words("C++")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I live in Berlin", "en"),
        ("Ich wohne in Berlin und arbeite dort", "de"),
        ("Je suis à Paris avec ma sœur", "fr"),
        ("Vivo en Madrid con mi hermana", "es"),
        ("Abito a Roma con mia sorella", "it"),
        ("我住在北京", "zh"),
        ("東京に住んでいます", "ja"),
        ("أسكن في القاهرة", "ar"),
        ("12345", "en"),
    ],
)
def test_the_language_is_told_by_script_and_function_words(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_cosine_does_not_need_normalised_vectors() -> None:
    assert cosine([3.0, 0.0], [0.5, 0.0]) == pytest.approx(1.0)
    assert cosine([1.0, 0.0], [0.0, 9.0]) == pytest.approx(0.0)
    assert cosine([0.0, 0.0], [1.0, 1.0]) == 0.0


def test_vectors_of_two_embedders_are_not_compared() -> None:
    with pytest.raises(VectorMismatch, match="3 and 2 dimensions"):
        cosine([1.0, 2.0, 3.0], [1.0, 2.0])


@quick
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8))
def test_cosine_stays_between_minus_one_and_one(vector: list[float]) -> None:
    assert -1.0 <= cosine(vector, vector[::-1]) <= 1.0


def test_surprise_names_the_words_nobody_expected_as_they_are_written() -> None:
    share, words = surprise(
        "Ana works at Northwind as an engineer", ["Ana works at Acme", "Ana lives in Rome"]
    )

    assert share == pytest.approx(2 / 4)
    assert words == ("Northwind", "engineer")


@pytest.mark.parametrize(
    ("statement", "predictions", "share"),
    [
        ("Ana works at Acme", ["Ana works at Acme"], 0.0),
        ("Ana works at Acme", [], 1.0),
        ("", ["anything"], 0.0),
        ("我住在北京", ["我住在上海"], 0.5),
    ],
)
def test_surprise_is_the_share_of_words_no_prediction_held(
    statement: str, predictions: list[str], share: float
) -> None:
    assert surprise(statement, predictions)[0] == pytest.approx(share)


def test_unexpected_words_in_chinese_are_joined_as_written() -> None:
    assert surprise("我住在北京", ["我住在上海"])[1] == ("在北京",)


SAME = [
    ("Ana works at Acme", "Ana works at Acme."),
    ("Ana has 2 cats", "Ana has two cats"),
    ("Ana is 25", "Ana is twenty-five"),
    ("Ana never eats meat", "Ana doesn't eat meat"),
    ("Sushi is Ana's favourite food", "Ana's favourite food is sushi"),
    ("Ana relocated to Lisbon", "Ana moved to Lisbon"),
    ("Ana has been a vegetarian for years", "Ana is vegetarian"),
    ("Ana uses Docker", "Ana uses docker"),
    ("安娜喜欢咖啡", "安娜很喜欢咖啡"),
]
DIFFERENT = [
    ("Ana works at Acme", "Ana works at Initech"),
    ("Ana has 2 cats", "Ana has 3 cats"),
    ("The port is 8080", "The port is 8081"),
    ("Ana eats meat", "Ana does not eat meat"),
    ("Ana likes tea but not coffee", "Ana likes coffee but not tea"),
    ("Ana uses npm", "Ana uses pnpm"),
    ("Ana lived in Rome", "Ana lives in Rome"),
    ("Ana was a teacher", "Ana is a teacher"),
    ("Ana reports to Ben", "Ben reports to Ana"),
    ("Ana likes coffee", "Ana's brother likes coffee"),
    ("Ana moved to Lisbon", "Ana wants to move to Lisbon"),
    ("Ana prefers dark mode", "Ana prefers light mode"),
    ("Ana loves cilantro", "Ana hates cilantro"),
    ("Ana plays tennis on monday", "Ana plays tennis on friday"),
    ("Ana knows C", "Ana knows C++"),
    ("Ana knows C", "Ana knows R"),
    ("Ana swims", "Ana stopped swimming"),
    ("Ana isst Fleisch", "Ana isst kein Fleisch"),
    ("Ana mange de la viande", "Ana ne mange pas de viande"),
    ("安娜喜欢咖啡", "安娜不喜欢咖啡"),
    ("安娜喜欢咖啡", "安娜喜欢茶"),
    ("アナは寿司が好きです", "アナは寿司が好きではない"),
    ("Ana lives in Rome", "Ana vive en Roma"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_rewordings_pass_the_guards_both_ways(left: str, right: str) -> None:
    assert guards_agree(left, right)
    assert guards_agree(right, left)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_a_changed_value_fails_the_guards_both_ways(left: str, right: str) -> None:
    assert not guards_agree(left, right)
    assert not guards_agree(right, left)


@quick
@given(st.text(max_size=60), st.text(max_size=60))
def test_guards_are_symmetric_and_never_fail(left: str, right: str) -> None:
    assert guards_agree(left, right) == guards_agree(right, left)


@quick
@given(st.text(max_size=80))
def test_a_text_agrees_with_itself(text: str) -> None:
    assert guards_agree(text, text)
    assert adds_nothing(text, text)


def test_what_a_new_text_adds_is_seen() -> None:
    assert adds_nothing("Ana works at Acme", "Ana works at Acme as an engineer")
    assert not adds_nothing("Ana works at Acme as an engineer", "Ana works at Acme")


def test_equal_words_ignore_case_and_punctuation_but_not_tense() -> None:
    assert equal_words("Ana works at ACME!", "ana works at acme")
    assert not equal_words("Ana is in Rome", "Ana was in Rome")
    assert not equal_words("", "")


@pytest.mark.parametrize(
    ("atomic", "compound", "holds"),
    [
        ("Ana works at Acme", "Ana lives in Berlin and works at Acme", True),
        ("Ana lives in Berlin", "Ana lives in Berlin and works at Acme", True),
        ("Ana smokes", "Ana wants to stop smoking", False),
        ("Ana likes coffee", "Ana's brother likes coffee and tea", False),
        ("Ana eats fish", "Ana lives in Berlin and does not eat fish", False),
        ("Ana works at Acme", "Ana works at Acme", False),
        ("Ana", "Ana and Ben", False),
    ],
)
def test_a_whole_clause_of_a_compound_statement_is_recognised(
    atomic: str, compound: str, *, holds: bool
) -> None:
    assert is_clause_of(atomic, compound) is holds


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,000 and 3.5 and the 5th", {"1000", "3.5", "5"}),
        ("twenty-five cats", {"25"}),
        ("one of them", set()),
        ("v2 on port 08080", {"2", "8080"}),
        ("三个人", {"三"}),
        ("no number", set()),
    ],
)
def test_numbers_are_read_in_digits_and_in_words(text: str, numbers: set[str]) -> None:
    assert numbers_in(text) == numbers
