"""Whom or what a third-person statement speaks of."""

import re
from functools import lru_cache

from extraction.engines.local import rewriting, words

_RELATIONS = "|".join(sorted(words.PERSON_RELATIONS, key=len, reverse=True))
_NAME = r"[A-Z][\w'\u2019-]*?"


@lru_cache(maxsize=4096)
def of(statement: str, *, subject: str) -> str:
    """Name whom a statement speaks of, the subject itself by default.

    **Shape**: "Ana's friend Jack hates football" is about Jack; "Ana's brother is tall" about
    "Ana's brother"; "Ana's job is hard" about Ana.
    """
    owner = re.escape(rewriting.possessive(subject))
    match = re.match(
        rf"(?P<who>{owner} (?:\w+ "
        rf"){{0,2}}?(?:{_RELATIONS}))(?P<s>['\u2019]s)?\b,?\s*(?P<name>{_NAME})?(?=['\u2019]s\b"
        r"|\b)",
        statement,
        re.IGNORECASE,
    )
    if not match:
        return subject
    name = match["name"] or ""
    if name and name[0].isupper() and name.lower() not in {"i", "and"}:
        return re.sub(r"['\u2019]s?$", "", name)
    return match["who"]


def antecedent(statement: str, *, subject: str) -> str:
    """Give the third party a following "he" or "she" may stand for, or ""."""
    who = of(statement, subject=subject)
    if who != subject:
        return who
    match = re.search(
        r"\b(?:their"
        rf"|{re.escape(rewriting.possessive(subject))}) (?P<rel>(?:\w+ "
        rf"){{0,1}}?(?:{_RELATIONS})),? ?(?P<name>[A-Z][\w'-]+)?",
        statement,
    )
    if not match:
        return ""
    return match["name"] or f"{rewriting.possessive(subject)} {match['rel']}"
