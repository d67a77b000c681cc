"""Figures told inside a long sentence about something else, as statements of their own.

"I'm trying to speed up the API response time, which has improved to 250ms, but …" says two
things, and only one of them will be asked for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extraction.engines.local import words
from extraction.words import content_words

_LONG = 24  # words; a shorter sentence is one statement
_LEAST_SAID = 5  # content words besides figures: "I completed 15 problems" leaves open of what
_LEAST_REST = 5  # content words
_LEAST_BEFORE = 3  # words; "My partner and I" is a subject, and no clause begins at its "I"
_ENDS = (
    r"(?=,?\s+(?:and|but|so)\s+(?:i|i['\u2019]\w+|my|we|our|now (?:i|that)|that|can|could|how|what"
    r"|also)\b|,\s+(?:can|could|would|will|how|what|why|should|is|are|do|does|especially|since"
    r"|because|considering|given|now that|but|like|taking|i|i['\u2019]\w+|my|we|we['\u2019]\w+"
    r"|our|maybe|the|including|might|may|must|has|have)\b|,?\s+(?:especially since"
    r"|so can you|so i)\b"
    r"|\s+to further\b|[;?!:]|\s[-\u2013\u2014]+\s|,?\.?\s*$)"
)
# What comes before a clause that the sentence can do without, and what it cannot.
_BESIDE = (
    r"(?:,\s+(?:(?:and|but|so|then)\s+)?|\s(?:and|but)\s+|(?:,?\s(?:and|but))?,?\s(?:especially"
    r" since|since|because|now that|given that|considering(?: that)?)\s+)"
)
_OBJECT = r"(?:\b(?:the fact that|noticed that|noticed|found out that)\s+)"
_PAST = (
    r"(?:(?!need\b|indeed\b)\w{2,}ed|"
    + "|".join(sorted(word for word in words.IRREGULAR_PAST if len(word) > 2))
    + r")"
)
_HOLDS = r"(?:earn|own|pay|weigh|need|have)"
_DID = re.compile(
    rf"(?:(?P<beside>{_BESIDE})|{_OBJECT})(?P<told>(?:i|we)(?:['\u2019]ve|\s+have|\s+had)?"
    r"(?:\s+(?:just|now|recently|already|only|finally|currently|also|actually|even))*"
    rf"\s+(?:{_PAST}|{_HOLDS})\b[^;?!]*?)" + _ENDS,
    re.IGNORECASE,
)
_CHANGED = (
    r"(?:improved|increased|decreased|dropped|rose|risen|grew|grown|reached|went|gone|changed|fell"
    r"|fallen|climbed|doubled|moved)"
)
_MINE_CHANGED = re.compile(
    rf"(?:(?P<beside>{_BESIDE})|\b(?:how|that|why)\s+)"
    r"(?P<told>(?:my|our|the)\s+(?:(?!\bto\b)[^,;?!]){3,80}?"
    rf"\s(?:(?:has|have|had|just|recently|now)\s+)*{_CHANGED}\b[^;?!]*?)" + _ENDS,
    re.IGNORECASE,
)
# "I'm trying to understand how my score rose" tells that it rose, and little else.
_ASKS_HOW = re.compile(
    r"^(?:i['\u2019]?m|i am|we['\u2019]re) (?:\w+ ){0,3}(?:understand(?:ing)?|figure out|wondering"
    r"|curious|surprised|confused)(?: \w+)?$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\b(?P<what>(?:the|my|our|his|her|their)\s(?:(?!\b(?:to|is|are|was|were|has|have|and|that"
    r"|which|i)\b)[^,.;?!]){3,80}?),?\s+which\s+(?P<rest>(?:(?:has|have|had|now|recently|currently"
    r"|(?:is|are|was|were) (?:now|currently|at|around|averaging|up|down))\b|"
    + _CHANGED
    + r"\b)[^;?!]*?)"
    + _ENDS,
    re.IGNORECASE,
)
_REMIND = re.compile(
    r"\b(?P<what>(?:the|my|our)\s[^,.;?!]{3,80}?),\s[^.;?!]{0,40}?\bremind me that\s+"
    r"(?P<it>it['\u2019]s|it is|it was|it has)\s+(?P<rest>[^;?!]*?)(?=[;?!]|\.?\s*$)",
    re.IGNORECASE,
)
_RATE_OF = re.compile(
    r"\b(?P<who>my|our|his|her|their|[A-Z]\w+['\u2019]s)\s+(?:current|recent|latest|new)\s+"
    r"(?P<what>(?:[a-z-]+\s+){0,3}[a-z-]+)\s+of\s+(?P<rest>[$\u20ac\u00a3]?\d[\w.,%]*\w%?|\d+%)"
)
_SCORE_ON = re.compile(
    r"\b(?P<rest>\d[\d.,/]*%?)\s+(?P<what>score|grade|mark|rating|average)\s+on\s+"
    r"(?P<who>my|our|his|her|their|[A-Z]\w+['\u2019]s)\s+(?P<on>(?:[a-z-]+\s+){0,3}?[a-z-]+)"
    r"(?=\s+(?:good|enough|bad|ok|okay|high|low|is|was|means?|really)\b|[,.;?!]|\s*$)",
)
# Only the rest of the sentence says what these stand for; where a formula ends, nothing says.
_NOT_ALONE = re.compile(
    r"\b(?:it|them|they|when)\b|\b(?:this|that|these|those)\b(?! (?:week|month|year|morning"
    r"|spring|summer|autumn|fall|winter|quarter)\b)|[\^=\u00b2{}\\]",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r",?\s+(?:might|may|must|is|are|was|were|will|would|has|have)\b(?!\s+(?:i|you|we|it|that|this|my)\b)",
    re.IGNORECASE,
)
_AFTER_WHEN = re.compile(r"\b(?:when|if|after|once|while|before)\b[^,]*,?\s*$", re.IGNORECASE)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b|I['\u2019])[A-Z][a-z]+\b")
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Told:
    """A figure's clause. **Shape**: a span of the sentence; ``spoken`` stands alone."""

    start: int
    end: int
    spoken: str
    cut: tuple[int, int] | None = None  # what the sentence can do without


def told_inside(sentence: str) -> list[Told]:
    """Find the clauses of a sentence that tell a figure and can stand alone.

    **Shape**: in order, none over another; none of a short sentence that is no question.
    """
    found: list[Told] = []
    is_asked = sentence.rstrip().endswith("?")
    if is_asked or len(sentence.split()) >= _LONG:
        candidates = [*_relative(sentence), *_own(sentence), *_asked(sentence)]
        for one in sorted(candidates, key=lambda told: (told.start, -told.end)):
            if not found or one.start >= found[-1].end:
                found.append(one)
    return [one for one in found if _leaves_something(sentence, one)]


def _leaves_something(sentence: str, told: Told) -> bool:
    """Tell whether the rest says something: "I'm planning my timeline, and …" is one statement."""
    if told.cut is None or told.cut[0] == 0:
        return True
    return len(set(content_words(without(sentence, [told]), "en"))) >= _LEAST_REST


def without(sentence: str, told: list[Told]) -> str:
    """Leave out of a sentence what stands alone, where the rest still reads."""
    rest = sentence
    for one in reversed(told):
        if one.cut is not None:
            rest = rest[: one.cut[0]] + rest[one.cut[1] :]
    return rest if rest == sentence else rest.lstrip(" ,-\u2013\u2014")


def _relative(sentence: str) -> Iterator[Told]:
    for match in _WHICH.finditer(sentence):
        if _stands_alone(match["rest"]):
            # "worried that my site, which has 12 pages, might …": what it does is still to come
            goes_on = _GOES_ON.match(sentence, match.end())
            cut = None if goes_on else (match.end("what"), match.end())
            yield _told(match.start(), match.end(), f"{match['what']} {match['rest']}", cut=cut)


def _own(sentence: str) -> Iterator[Told]:
    if len(sentence.split()) < _LONG:
        return
    for pattern in (_DID, _MINE_CHANGED):
        for match in pattern.finditer(sentence):
            lead = sentence[: match.start("told")]
            is_main = len(lead.split()) > _LEAST_BEFORE and not _AFTER_WHEN.search(lead)
            if is_main and _names_its_topic(match["told"]):
                yield _told(match.start("told"), match.end("told"), match["told"], cut=_cut(match))


def _cut(match: re.Match[str]) -> tuple[int, int] | None:
    if match["beside"]:
        return match.span()
    asks_how = _ASKS_HOW.match(match.string[: match.start()].strip())
    return (0, match.end()) if asks_how else None


def _stands_alone(told: str) -> bool:
    return bool(_FIGURE.search(told)) and not _NOT_ALONE.search(told)


def _names_its_topic(told: str) -> bool:
    keys = [key for key in content_words(told, "en") if not _FIGURE.search(key)]
    return len(set(keys)) >= _LEAST_SAID and _stands_alone(told)


def _asked(sentence: str) -> Iterator[Told]:
    for match in _REMIND.finditer(sentence):
        verb = match["it"].replace("\u2019", "'").lower().replace("it's", "it is").split()[1]
        if _stands_alone(match["rest"]):
            yield _told(match.start(), match.end(), f"{match['what']} {verb} {match['rest']}")
    for match in _RATE_OF.finditer(sentence):
        current = match[0].split()[1]
        yield from _of_someone(sentence, match, f"{current} {match['what']}")
    for match in _SCORE_ON.finditer(sentence):
        yield from _of_someone(sentence, match, f"{match['on']} {match['what']}")


def _of_someone(sentence: str, match: re.Match[str], what: str) -> Iterator[Told]:
    """Say whose figure it is: "his" is whoever the sentence named last before."""
    who, start = match["who"], match.start()
    if who.lower() in {"his", "her", "their"}:
        names = list(_NAME.finditer(sentence[:start]))
        if not names:
            return
        who = names[-1][0].removesuffix("'s").removesuffix("\u2019s") + "'s"
        start = names[-1].start()
    yield _told(start, match.end(), f"{who} {what} is {match['rest']}")


def _told(start: int, end: int, spoken: str, *, cut: tuple[int, int] | None = None) -> Told:
    spoken = spoken.strip().rstrip(" ,.")
    return Told(start, end, f"{spoken[:1].upper()}{spoken[1:]}.", cut)
