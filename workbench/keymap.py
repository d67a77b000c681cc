"""Every key of the workbench, in one object: the script, the buttons and the sheet read it.

A key names an *action*; the page gives the action to an element (``data-action``). A sequence
such as ``r 1`` is two presses: the first opens something, the second chooses in it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

FORBIDDEN = frozenset({"Enter", " ", "Space", "Backspace", "Delete"})
"""Keys pressed by habit: none of them may decide anything."""


_PRINTED = {"Control+Enter": "Ctrl Enter", "Escape": "Esc"}


@dataclass(frozen=True, slots=True)
class Key:
    """One binding.

    **Shape**: ``press`` holds the presses in order, as the browser names them; ``decides`` marks
    bindings that change what is believed.
    """

    action: str
    press: tuple[str, ...]
    label: str
    group: str
    decides: bool = False

    @property
    def shown(self) -> str:
        """Return the presses as a person reads them: ``m 1``, ``Ctrl Enter``."""
        return " ".join(_PRINTED.get(press, press) for press in self.press)


class KeyJson(TypedDict):
    """One binding as the script reads it."""

    action: str
    press: list[str]


def _numbered(*, action: str, first: str, labels: tuple[str, ...], group: str) -> tuple[Key, ...]:
    return tuple(
        Key(f"{action}-{number}", (first, str(number)), label, group, decides=True)
        for number, label in enumerate(labels, start=1)
    )


KEYMAP: tuple[Key, ...] = (
    Key("next", ("j",), "Next", "Move"),
    Key("previous", ("k",), "Previous", "Move"),
    Key("gap-previous", ("[",), "Previous gap", "Move"),
    Key("gap-next", ("]",), "Next gap", "Move"),
    Key("diff", ("v",), "Other way of showing the change", "Move"),
    Key("leave", ("Escape",), "Leave, close", "Move"),
    Key("approve", ("a",), "Approve", "Decide", decides=True),
    Key("edit", ("e",), "Edit", "Decide"),
    Key("save", ("Control+Enter",), "Save and approve", "Decide", decides=True),
    Key("undo", ("z",), "Undo my last decision", "Decide", decides=True),
    Key("changed", ("c",), "Changed from a date", "What happened"),
    Key("never", ("w",), "Was never so", "What happened"),
    Key("both", ("b",), "Both true", "What happened"),
    Key("unclear", ("u",), "Cannot tell", "What happened"),
    Key("reject", ("r",), "Reject …", "Reject"),
    *_numbered(
        action="reject",
        first="r",
        labels=(
            "Not said",
            "Misread",
            "Not durable",
            "Sensitive",
            "About someone else",
            "Other, in words",
        ),
        group="Reject",
    ),
    Key("same", ("m",), "Same as …", "Same as"),
    *_numbered(
        action="same",
        first="m",
        labels=("Nearest 1", "Nearest 2", "Nearest 3"),
        group="Same as",
    ),
    Key("defer", ("d",), "Defer …", "Defer"),
    *_numbered(
        action="defer",
        first="d",
        labels=("One hour", "Tomorrow", "Next week", "Until new evidence"),
        group="Defer",
    ),
    Key("search", ("/",), "Search", "Go"),
    Key("sheet", ("?",), "This sheet", "Go"),
    Key("go-queue", ("g", "q"), "Queue", "Go"),
    Key("go-statements", ("g", "s"), "Statements", "Go"),
    Key("go-conversations", ("g", "o"), "Conversations", "Go"),
    Key("go-mine", ("g", "l"), "My decisions", "Go"),
)


def collisions(keys: Iterable[Key]) -> list[str]:
    """Name every press bound twice, and every habit key that decides.

    **Shape**: one sentence each; empty when the map is sound. A press may begin a longer
    sequence (``r`` and ``r 1``): the first opens, the second chooses, so only equal ones collide,
    unless the opening press itself decides.
    """
    found: list[str] = []
    seen: dict[tuple[str, ...], Key] = {}
    for key in keys:
        if key.press in seen:
            found.append(f"{key.shown}: both {seen[key.press].action} and {key.action}")
        seen.setdefault(key.press, key)
        if key.decides and FORBIDDEN.intersection(key.press):
            found.append(f"{key.shown}: decides on a key pressed by habit")
    for press in seen:
        opener = seen.get(press[:1])
        if len(press) > 1 and opener is not None and opener.decides:
            found.append(f"{' '.join(press)}: begins with {opener.shown}, which decides already")
    return found


def for_script(keys: Iterable[Key] = KEYMAP) -> list[KeyJson]:
    """Return the bindings as the page's script reads them."""
    return [{"action": key.action, "press": list(key.press)} for key in keys]


def shown(action: str) -> str:
    """Return what a button prints for its key, or nothing when it has none."""
    return next((key.shown for key in KEYMAP if key.action == action), "")


def grouped(keys: Iterable[Key] = KEYMAP) -> dict[str, list[Key]]:
    """Return the bindings by group, in the order of the sheet."""
    groups: dict[str, list[Key]] = {}
    for key in keys:
        groups.setdefault(key.group, []).append(key)
    return groups
