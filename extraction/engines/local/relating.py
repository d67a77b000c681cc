"""What a statement does to what is known: new, update, contradiction or confirmation.

Suggestions only: a person decides, and reads why the engine thought so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.engines.base import Kind, KnownStatement
from extraction.engines.local import about, attributes, modality, quantities
from extraction.engines.local.attributes import Setting
from extraction.engines.local.drafts import Draft
from extraction.similarity import content_words, equal_words, guards_agree

_CHANGED = re.compile(
    r"\b(?:now|moved|switch(?:ed|ing)|changed|no longer|started|starting|since|any ?more"
    r"|instead|used to|left|quit|these days|currently|became|joined"
    r"|from now on|as of|recently|stopped|gave up|new|promoted|slipped|postponed|turned"
    r"|went|migrated|lately)\b",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"\bactually\b|\bcorrection\b|\bi never\b|\bwe never\b|\b(?:was|were|is|that['\u2019]s"
    r"|it['\u2019]s) (?:wrong|a mistake|incorrect|not (?:true|right))\b|\bi meant\b"
    r"|\bmisspoke\b|\bmis(?:taken|remember\w*)\b|\bin fact\b|\bnot [\w' -]{1,30}?,? but\b"
    r"|\b(?:was|were|had) never\b|\bi was mistaken\b|\bnever (?:was|did|had)\b"
    r"|\b(?:isn['\u2019]t|not) [\w' -]{1,30}, (?:it['\u2019]s|i['\u2019]m|but)\b",
    re.IGNORECASE,
)
_NEAR = 0.8
_SAME_TOPIC = 0.6
_OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}


@dataclass(frozen=True, slots=True)
class Relation:
    """The suggested kind, what it speaks to, and a sentence for the person."""

    kind: Kind = "new"
    target: str | None = None
    reason: str = ""


def relate(draft: Draft, known: Sequence[KnownStatement], *, subject: str) -> Relation:
    """Suggest what a draft does to the known statements about the same one.

    **Shape**: the first strong relation wins: the same value, another value of a single-valued
    attribute, a turned liking, a denial, the same words. A shared name alone relates nothing.
    """
    if draft.modality not in {"asserted", "negated"}:
        return Relation()  # what is only asked, supposed or passed on speaks to nothing
    near = [entry for entry in known if _is_about(entry, draft.about, subject=subject)]
    for test in (
        _same_words,
        _same_attribute,
        _turned_liking,
        _value_denied,
        _not_but,
        _diet_broken,
        _denial,
    ):
        for entry in near:
            relation = test(draft, entry)
            if relation is not None:
                return relation
    return _number_changed(draft, near)


def is_correction(draft: Draft) -> bool:
    """Say whether a sentence takes something back: "actually", "I was mistaken"."""
    return bool(_CORRECTED.search(draft.quote))


def settings_of(entry: KnownStatement) -> tuple[Setting, ...]:
    """Give what a known statement sets, its own attribute first."""
    read = attributes.find_all(entry.text)
    if not entry.attribute:
        return read
    same = next((s for s in read if s.attribute == entry.attribute), Setting())
    own = Setting(entry.attribute, entry.value or same.value, ended=same.ended)
    return (own, *(s for s in read if s.attribute != entry.attribute))


def _is_about(entry: KnownStatement, who: str, *, subject: str) -> bool:
    whom = about.of(entry.text, subject=subject)
    return _fold(whom) == _fold(who) or (who != subject and entry.text.startswith(who))


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _same_words(draft: Draft, entry: KnownStatement) -> Relation | None:
    if equal_words(draft.text, entry.text) or (
        overlap(draft.text, entry.text) >= _NEAR and guards_agree(draft.text, entry.text)
    ):
        return Relation("confirmation", entry.ref, f"says again: {entry.text}")
    return None


def _same_attribute(draft: Draft, entry: KnownStatement) -> Relation | None:
    mine = attributes.find_all(draft.text) or (draft.setting,)
    pairs = [(m, t) for m in mine for t in settings_of(entry) if m.attribute == t.attribute]
    for one, other in pairs:
        relation = _compared(draft, entry, (one, other)) if one.value and other.value else None
        if relation is not None:
            return relation
    return None


def _compared(
    draft: Draft, entry: KnownStatement, settings: tuple[Setting, Setting]
) -> Relation | None:
    mine, theirs = settings
    if _same_value(mine.value, theirs.value):
        if mine.ended != theirs.ended:
            return _conflict(draft, entry, default="update")
        agrees = (draft.modality == "negated") == modality.is_negated(entry.text)
        most = _SECOND_THING if attributes.is_single_valued(mine.attribute) else 0
        is_whole = mine.attribute == draft.setting.attribute and _adds(draft, entry) <= most
        repeats = Relation("confirmation", entry.ref, f"says again: {entry.text}")
        return repeats if agrees and is_whole else None
    if not attributes.is_single_valued(mine.attribute) or mine.ended or theirs.ended:
        return None
    return _conflict(
        draft, entry, default="contradiction" if mine.attribute in _FIXED else "update"
    )


def _adds(draft: Draft, entry: KnownStatement) -> int:
    """Count the words beside the value: "prefers tea and learns chess" is no repeat of its tea."""
    own = set(content_words(draft.text, draft.language))
    return len(own - set(content_words(entry.text, draft.language)))


_SECOND_THING = 2  # where only one value can hold, other words for it are no second thing
_FIXED = frozenset({"name", "birthday", "home_country", "native_language"})


def _turned_liking(draft: Draft, entry: KnownStatement) -> Relation | None:
    for theirs in settings_of(entry):
        turned = _OPPOSITE.get(draft.setting.attribute) == theirs.attribute
        if turned and _same_value(draft.setting.value, theirs.value):
            return _conflict(draft, entry, default="update")
    return None


def _value_denied(draft: Draft, entry: KnownStatement) -> Relation | None:
    """Leaving: "left Northwind" ends working there; "walnuts, not hazelnuts" corrects hazelnuts."""
    for theirs in settings_of(entry):
        if not theirs.value or theirs.attribute in _OPPOSITE:
            continue
        value = re.escape(theirs.value)
        if re.search(rf"\b(?:{_ENDING})\b(?: \w+){{0,3}} {value}\b", draft.text, re.IGNORECASE):
            return _conflict(draft, entry, default="update")
        if re.search(rf"\bnot (?:\w+ ){{0,2}}{value}\b", draft.text, re.IGNORECASE):
            return _conflict(draft, entry, default="contradiction")
    return None


def _not_but(draft: Draft, entry: KnownStatement) -> Relation | None:
    """Ninety days, not a year: the words after "not" are the known statement's."""
    match = _NOT_BUT.search(draft.text)
    if match is None or not re.search(rf"\b{re.escape(match['old'])}\b", entry.text, re.IGNORECASE):
        return None
    rest = set(content_words(draft.text[: match.start()], draft.language))
    shared = rest & set(content_words(entry.text, draft.language))
    return _conflict(draft, entry, default="contradiction") if len(shared) >= _TOPIC_WORDS else None


_TOPIC_WORDS = 3
_NOT_BUT = re.compile(
    r",? not (?:(?:for|at|in|to|on|an?|the) )*(?P<old>[\w'-]+(?: [\w'-]+){0,2})[.!;]?$",
    re.IGNORECASE,
)
_ENDING = (
    "left|quit|resigned from|no longer|stopped|gave up|sold|lost|moved away from|moved out of"
    "|instead of|replaced|dropped|away from"
)
_MEAT = re.compile(
    r"\b(?:eats?|ate|eating|ordered|had|loves?|likes?|grilled|cooks?) (?:\w+ ){0,3}"
    r"(?:steaks?|meat|beef|pork|chicken|bacon|ham|burgers?|lamb|turkey|sausages?)\b",
    re.IGNORECASE,
)
_MEATLESS = frozenset({"vegetarian", "vegan", "pescatarian", "pescetarian"})


def _diet_broken(draft: Draft, entry: KnownStatement) -> Relation | None:
    is_meatless = any(
        s.attribute == "diet" and s.value.lower() in _MEATLESS and not s.ended
        for s in settings_of(entry)
    )
    if is_meatless and draft.modality == "asserted" and _MEAT.search(draft.text):
        return _conflict(draft, entry, default="contradiction")
    return None


def _number_changed(draft: Draft, near: Sequence[KnownStatement]) -> Relation:
    """The same thing measured again: of several the one that shares most, the latest of these."""
    if draft.language != "en":
        return Relation()
    weighed = [(quantities.shared_topic(draft.text, entry.text), entry) for entry in near]
    best = max(
        weighed,
        key=lambda pair: (pair[0], pair[1].valid_from.timestamp() if pair[1].valid_from else 0.0),
        default=(0.0, None),
    )
    if best[1] is None or not best[0]:
        return Relation()
    return _conflict(draft, best[1], default="update")


def _denial(draft: Draft, entry: KnownStatement) -> Relation | None:
    """The same topic, once said and once denied."""
    if draft.language != "en" or (draft.modality == "negated") == modality.is_negated(entry.text):
        return None
    if (
        draft.modality not in {"asserted", "negated"}
        or overlap(draft.text, entry.text) < _SAME_TOPIC
    ):
        return None
    return _conflict(draft, entry, default="contradiction")


def _conflict(draft: Draft, entry: KnownStatement, *, default: Kind) -> Relation:
    kind: Kind = default
    if _CORRECTED.search(draft.quote):
        kind = "contradiction"
    elif _CHANGED.search(draft.quote):
        kind = "update"
    verb = "possibly replaces" if kind == "update" else "possibly conflicts with"
    return Relation(kind, entry.ref, f"{verb}: {entry.text}")


def overlap(left: str, right: str) -> float:
    """Give the share of the longer text's content words that both hold."""
    a, b = set(content_words(left, "en")), set(content_words(right, "en"))
    return len(a & b) / max(len(a), len(b)) if a and b else 0.0


def _same_value(left: str, right: str) -> bool:
    a, b = _fold(left), _fold(right)
    if not a or not b:
        return False
    return a == b or set(content_words(a, "en")) == set(content_words(b, "en")) != set()
