"""What a statement does to what is known: new, update, contradiction or confirmation.

Suggestions only: a person decides, and reads why the engine thought so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.engines.base import Kind, KnownStatement
from extraction.engines.local import about, attributes, modality
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
    """This function will suggest what a draft does to the known statements about the same one.

    **Shape**: the first strong relation wins: the same value, another value of a single-valued
    attribute, a turned liking, a denial, the same words. A shared name alone relates nothing.
    """
    near = [entry for entry in known if _is_about(entry, draft.about, subject=subject)]
    for test in (_same_words, _same_attribute, _turned_liking, _denial):
        for entry in near:
            relation = test(draft, entry)
            if relation is not None:
                return relation
    return Relation()


def setting_of(entry: KnownStatement) -> attributes.Setting:
    """This function will give a known statement's attribute, read from its words if need be."""
    read = attributes.find(entry.text)
    if entry.attribute:
        return attributes.Setting(entry.attribute, entry.value or read.value, ended=read.ended)
    return read


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
    mine, theirs = draft.setting, setting_of(entry)
    if not mine.attribute or mine.attribute != theirs.attribute or not mine.value:
        return None
    is_same = _same_value(mine.value, theirs.value)
    if is_same and mine.ended == theirs.ended:
        has_detail = bool(
            content_words(draft.text, draft.language)
        ) and draft.modality != modality.of(entry.text)
        return (
            None if has_detail else Relation("confirmation", entry.ref, f"says again: {entry.text}")
        )
    if is_same:
        return _conflict(draft, entry, default="update")
    if (
        attributes.is_single_valued(mine.attribute)
        and theirs.value
        and not mine.ended
        and not theirs.ended
    ):
        return _conflict(
            draft, entry, default="contradiction" if mine.attribute in _FIXED else "update"
        )
    return None


_FIXED = frozenset({"name", "birthday", "home_country", "native_language"})


def _turned_liking(draft: Draft, entry: KnownStatement) -> Relation | None:
    mine, theirs = draft.setting, setting_of(entry)
    if _OPPOSITE.get(mine.attribute) == theirs.attribute and _same_value(mine.value, theirs.value):
        return _conflict(draft, entry, default="update")
    return None


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
    """This function will give the share of the longer text's content words that both hold."""
    a, b = set(content_words(left, "en")), set(content_words(right, "en"))
    return len(a & b) / max(len(a), len(b)) if a and b else 0.0


def _same_value(left: str, right: str) -> bool:
    a, b = _fold(left), _fold(right)
    if not a or not b:
        return False
    return a == b or set(content_words(a, "en")) == set(content_words(b, "en")) != set()
