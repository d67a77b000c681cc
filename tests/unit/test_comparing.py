"""What two runs found: paired where it is the same, told apart where it is not."""

from dataclasses import dataclass

from extraction.comparing import found_by, likeness


@dataclass(frozen=True)
class One:
    """A candidate of a run."""

    text: str
    places: tuple[tuple[int, int, int], ...] = ((1, 0, 30),)


def test_the_same_words_are_the_same_wherever_they_were_quoted() -> None:
    assert likeness(One("Ana lives in Lisbon."), One("Ana lives in Lisbon", ((9, 0, 4),))) == 1.0


def test_another_wording_of_the_same_quote_is_the_same() -> None:
    one, other = One("Ana works at Northwind."), One("Ana works at Northwind as an engineer.")
    found = found_by([one], [other])
    assert found.both == ((one, other),)
    assert not found.left
    assert not found.right


def test_alike_words_from_other_quotes_are_not_the_same() -> None:
    one, other = One("Ana likes green tea."), One("Ana likes black tea.", ((2, 0, 30),))
    assert likeness(one, other) == 0.0
    assert found_by([one], [other]).both == ()


def test_two_facts_of_one_sentence_are_told_apart() -> None:
    cats, cello = One("Ana has two cats."), One("Ana plays the cello.")
    found = found_by([cats], [cello])
    assert (found.left, found.right) == ((cats,), (cello,))


def test_each_candidate_is_paired_once_with_the_most_alike() -> None:
    exact, near = One("Ana works at Northwind."), One("Ana works at Northwind since March.")
    found = found_by([near, exact], [exact])
    assert found.both == ((exact, exact),)
    assert found.left == (near,)


def test_what_was_erased_is_alike_to_nothing() -> None:
    assert found_by([One("")], [One("")]).both == ()
