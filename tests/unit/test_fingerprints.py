"""Fingerprints fold form, keep meaning and need their key."""

import pytest

from knowledge import fingerprints
from knowledge.fingerprints import Keyring, canonical, fingerprint


@pytest.mark.parametrize(
    ("left", "right"), [("Ana  Ruiz", "ana ruiz"), ("Ｃａｆé", "cafe\u0301"), ("ß", "SS")]
)
def test_form_is_folded(left: str, right: str) -> None:
    assert fingerprint("name", left) == fingerprint("name", right)


@pytest.mark.parametrize(("left", "right"), [("C++", "C"), ("-5", "5"), ("3.14", "314")])
def test_punctuation_that_carries_meaning_is_kept(left: str, right: str) -> None:
    assert canonical(left) != canonical(right)
    assert fingerprint("x", left) != fingerprint("x", right)


def test_another_key_gives_another_fingerprint_and_names_its_version() -> None:
    own = fingerprints.current()
    before = fingerprint("employer", "Northwind")
    try:
        fingerprints.install(Keyring(version=2, key=b"another key"))
        after = fingerprint("employer", "Northwind")
    finally:
        fingerprints.install(own)
    assert before.startswith("v1:") and after.startswith("v2:")
    assert before.split(":")[1] != after.split(":")[1]
