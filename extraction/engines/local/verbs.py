"""English verbs: the third person, and how to tell a past form from a present one."""

import re

from extraction.engines.local import words

_IRREGULAR = {"have": "has", "do": "does", "be": "is", "am": "is", "are": "is", "were": "was"}
_CONTRACTED = {
    "haven't": "hasn't",
    "don't": "doesn't",
    "aren't": "isn't",
    "weren't": "wasn't",
    "ain't": "isn't",
    "dont": "doesn't",
    "havent": "hasn't",
}
_SHAPE = re.compile(r"[a-z]+(?:-[a-z]+)*\Z")


def third_person(verb: str) -> str:
    """Give the form that follows a single name: work → works, am → is.

    **Shape**: past forms, modals and words that are no verbs come back unchanged.
    """
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _CONTRACTED:
        return _CONTRACTED[low]
    if not _SHAPE.match(low) or is_past(low) or low in words.MODALS or low.endswith("ing"):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def is_past(verb: str) -> bool:
    """Tell whether a form needs no ending because it is a past one."""
    low = verb.lower()
    if low in words.ENDS_IN_ED_YET_PRESENT:
        return False
    return low in words.IRREGULAR_PAST or (low.endswith("ed") and len(low) > 3)
