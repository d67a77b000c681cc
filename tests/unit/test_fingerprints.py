"""Fingerprints fold form, keep meaning and need their key."""

from pathlib import Path

import pytest

from knowledge import fingerprints
from knowledge.fingerprints import Keyring, canonical, fingerprint
from workbench import fingerprint_keys


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
        fingerprints.install(Keyring({1: own.keys[1], 2: b"another key"}))
        seen = fingerprints.forms("employer", "Northwind")
        after = fingerprint("employer", "Northwind")
    finally:
        fingerprints.install(own)
    assert before.startswith("v1:") and after.startswith("v2:")
    assert seen == (after, before)
    assert before.split(":")[1] != after.split(":")[1]


def test_a_name_is_taken_letter_by_letter_and_parts_do_not_run_together() -> None:
    assert fingerprints.name_forms("user", "Ana") != fingerprints.name_forms("user", "ana")
    assert fingerprints.name_forms("a\x1fb", "c") != fingerprints.name_forms("a", "b\x1fc")


def test_a_fingerprint_names_the_version_of_its_key() -> None:
    assert fingerprints.version_of(fingerprint("diet", "vegan")) == 1


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("plain", {1: "plain"}),
        ("a:b", {1: "a:b"}),
        ("2:new,1:old", {2: "new", 1: "old"}),
        ("3:new\n1:old\n", {3: "new", 1: "old"}),
    ],
)
def test_keys_are_read_with_or_without_versions(text: str, keys: dict[int, str]) -> None:
    assert fingerprint_keys.parse(text) == keys


def test_rotation_puts_a_new_key_first_and_keeps_the_old(tmp_path: Path) -> None:
    path = tmp_path / "fingerprint_key"
    path.write_text("the first\n")
    assert fingerprint_keys.rotate(path) == 2
    assert fingerprint_keys.rotate(path) == 3
    keys = fingerprint_keys.parse(path.read_text())
    assert sorted(keys) == [1, 2, 3]
    assert keys[1] == "the first"
    assert path.stat().st_mode & 0o077 == 0
