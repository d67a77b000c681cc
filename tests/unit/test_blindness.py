"""Which decisions chance lays before a second reader."""

import pytest

from knowledge import fingerprints
from knowledge.blindness import is_drawn
from knowledge.fingerprints import Keyring


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a key for this test alone."""
    monkeypatch.setattr(fingerprints, "_installed", [Keyring({1: b"one"})])


def drawn(share: int) -> set[int]:
    """Draw among the first thousands of proposals."""
    return {pk for pk in range(1, 4001) if is_drawn(pk, share=share)}


@pytest.mark.parametrize(("share", "least", "most"), [(5, 140, 260), (50, 1850, 2150)])
def test_the_share_is_met(share: int, least: int, most: int) -> None:
    assert least <= len(drawn(share)) <= most


def test_none_and_all_are_exact() -> None:
    assert drawn(0) == set()
    assert len(drawn(100)) == 4000


def test_the_same_key_draws_the_same_again_and_another_key_others() -> None:
    first = drawn(5)
    assert drawn(5) == first
    fingerprints.install(Keyring({1: b"two"}))
    assert drawn(5) != first


def test_a_larger_share_keeps_what_a_smaller_one_drew() -> None:
    assert drawn(5) <= drawn(20)
