"""Who stands beside the speaker: "my wife and I", "we" with "my kids"."""

import re

from extraction.engines.local import words

_COMPANION = re.compile(
    r"\bwith\s+my\s+(?P<with>(?:[\w'-]+\s+)?(?:"
    + "|".join(sorted(words.PERSON_RELATIONS))
    + r"))\b|\bmy\s+(?P<kin>kids|children|family|husband|wife|partner|girlfriend|boyfriend)\b",
    re.IGNORECASE,
)
_SOMEONE_ELSE = re.compile(r"\b(?:he|she|him|her|his)\b", re.IGNORECASE)
_AND_I = re.compile(
    r"\b(?i:my|our)\s+(?P<who>(?:[\w'-]+\s+)?(?:"
    + "|".join(sorted(words.PERSON_RELATIONS))
    + r")(?:,?\s+[A-Z][\w-]+)?),?\s+and\s+I\b(?!['\u2019])"
)
_IS_MY = re.compile(
    r"\b((?!it|that|what|he|she|who|there|let)\w+)['\u2019]s (my|our)\b", re.IGNORECASE
)
_ME_AND = re.compile(r"^(?:me and my|I and my)\s+(?P<who>[\w'-]+)\b", re.IGNORECASE)


def joined(sentence: str, name: str) -> str:
    """Say "my wife and I" as one pair with the speaker first, and "'s my" in full."""
    text = _AND_I.sub(
        lambda match: f"{name} and their {match['who'].replace(',', '')}", sentence, count=1
    )
    text = _IS_MY.sub(r"\1 is \2", text)
    return _ME_AND.sub(lambda match: f"{name} and their {match['who']}", text, count=1)


def company(text: str) -> str:
    """Name who "we" may be with: people beside the speaker, unless they are spoken of apart."""
    if _SOMEONE_ELSE.search(text):
        return ""
    found = [(match["with"] or match["kin"]).strip() for match in _COMPANION.finditer(text)]
    return found[-1] if found else ""
