"""The keys: one map, no collisions, nothing decided by habit."""

from dataclasses import replace

from workbench import keymap


def test_no_key_is_bound_twice_and_no_habit_key_decides() -> None:
    assert keymap.collisions(keymap.KEYMAP) == []


def test_a_second_binding_of_a_key_is_named() -> None:
    doubled = (*keymap.KEYMAP, keymap.Key("other", ("a",), "Other", "Decide"))
    assert keymap.collisions(doubled) == ["a: both approve and other"]


def test_a_deciding_enter_is_named() -> None:
    eager = keymap.Key("approve", ("Enter",), "Approve", "Decide", decides=True)
    assert keymap.collisions((eager,)) == ["Enter: decides on a key pressed by habit"]


def test_a_sequence_behind_a_deciding_key_is_named() -> None:
    first = keymap.Key("approve", ("a",), "Approve", "Decide", decides=True)
    then = replace(first, action="approve-1", press=("a", "1"))
    assert keymap.collisions((first, then)) == ["a 1: begins with a, which decides already"]


def test_the_keys_of_the_design_are_all_there() -> None:
    presses = {key.shown for key in keymap.KEYMAP}
    wanted = set("j k [ ] a c w b u e r m d v z / ?".split()) | {"Ctrl Enter", "Esc"}
    wanted |= {f"r {n}" for n in range(1, 7)} | {f"m {n}" for n in range(1, 4)}
    wanted |= {f"d {n}" for n in range(1, 5)} | {f"g {letter}" for letter in "qsol"}
    assert wanted <= presses


def test_buttons_print_the_key_of_their_action() -> None:
    assert keymap.shown("reject-3") == "r 3"
    assert keymap.shown("no-such-action") == ""


def test_the_script_reads_the_same_map() -> None:
    assert {entry["action"] for entry in keymap.for_script()} == {
        key.action for key in keymap.KEYMAP
    }
