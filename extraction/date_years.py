"""Years in digits and in English words."""

import re

_TENS = {
    word: 10 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_BELOW = {
    word: place
    for place, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split(),
        1,
    )
}
_CENTURIES = {"seventeen": 1700, "eighteen": 1800, "nineteen": 1900, "twenty": 2000}
_BELOW_HUNDRED = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(list(_BELOW)[:9])}))?"
    rf"|{'|'.join(list(_BELOW)[:8:-1])})"
)
DIGITS = r"(?:1[89]|20|21)\d\d"
SPELLED = (
    rf"(?:(?:{'|'.join(_CENTURIES)})[ -](?:hundred (?:and )?)?{_BELOW_HUNDRED}"
    rf"|two thousand(?: and)?(?: (?:{_BELOW_HUNDRED}|{'|'.join(list(_BELOW)[:9])}))?)"
)
# A year as English writes or says it.
YEAR = rf"(?:{DIGITS}|{SPELLED})"


def year_in(text: str) -> int:
    """Read a year: "1996", "nineteen ninety six", "two thousand and twenty"."""
    if text.isdecimal():
        return int(text)
    words = [w for w in re.split(r"[ -]+", text.lower()) if w not in {"and", "hundred"}]
    if words[:2] == ["two", "thousand"]:
        return 2000 + _sum(words[2:])
    return _CENTURIES[words[0]] + _sum(words[1:])


def _sum(words: list[str]) -> int:
    return sum(_TENS.get(word, 0) or _BELOW.get(word, 0) for word in words)
