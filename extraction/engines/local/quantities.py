"""Numbers that measure one thing at two times: "150 commits" and then "165 commits"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from extraction.engines.local import words
from extraction.words import content_words

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
)
_DATE = re.compile(
    rf"\b(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH})\b"
    r"(?:,? (?:of )?\d{4})?",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b\d{1,2}(?::\d\d)? ?(?:a\.?m\b|p\.?m\b)\.?|\b\d{1,2}:\d\d\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![\w.$\u20ac\u00a3/-])(?P<money>[$\u20ac\u00a3])?(?P<number>\d+(?:[,.]\d+)*)"
    r"(?P<unit>%|[a-zA-Z]{1,3}\b)?(?![\w/:])(?P<next>(?:[ -](?:[a-z][a-z-]*\b)){0,3})",
)
# Before a number these make it a name's own: a version, a chapter, a channel.
_PART_OF_A_NAME = re.compile(
    r"(?:\b(?!(?:About|Almost|Approximately|Around|At|Nearly|Only|Over|Under|With)\b)"
    r"[A-Z][\w+.-]*|\bv|\bversion|\bchapter|\bpage|\bstep|#) ?$"
)
# Sides of a figure are given anew with every exercise.
_LENGTHS = frozenset({"cm", "mm", "m", "ft", "in", "x"})
_SAME_SCALE = {"kb": "bytes", "mb": "bytes", "gb": "bytes", "tb": "bytes"} | dict.fromkeys(
    ("ms", "s", "sec"), "seconds"
)
_NO_UNIT = frozenset(
    "a an the and or of to in on at for from with by per is are was were so but after before than "
    "more less new different total other extra additional".split()
)
# Talk about the work at hand, which shares nothing of what the number measures.
_BUSY = frozenset(
    "trying working wants sure asks needs implement help improve optimize project code using "
    "update current currently recently figure understand plan set add create manage handle "
    "completed ensure issue issues trouble keep track reflect worried around over average "
    "increase reach reached achieve complete finish stay goal".split()
)
_GROWN = re.compile(
    r"\b(?:now|new|currently|already|recently|latest|increased|improved|decreased|dropped|reduced"
    r"|reached|grown|grew|raised|lowered|bumped|adjusted|updated?|extended|expanded|rescheduled"
    r"|moved|moving|pushed|shifted|changed|instead|up to|down to|total of|so far)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with what it counts and the words around it.

    **Shape**: ``unit`` is date, time, $, %, a scale or a noun; ``topic`` are content keys.
    ``is_count`` says that the words speak of "the number of" what is counted.
    """

    value: str
    unit: str
    topic: frozenset[str]
    has_changed: bool = False
    is_count: bool = False


def shared_topic(later: str, earlier: str) -> float:
    """Say how well two texts fit as one thing measured twice; 0 where they tell no change.

    **Shape**: a number of the later has the unit of one of the earlier's, another value, and
    stands among the same words: all but all of them, or half or four where a word of change is
    near. "The number of commits has grown to 165" renews any count of commits.
    What both texts number alike is no change.
    """
    new, old = _measures(later), _measures(earlier)
    same = {(m.unit, m.value) for m in new} & {(m.unit, m.value) for m in old}
    fits = [
        _fit(mine, theirs)
        for mine in new
        for theirs in old
        if mine.unit == theirs.unit and not {(m.unit, m.value) for m in (mine, theirs)} & same
    ]
    return max(fits, default=0.0)


def kinds(text: str, *, of: frozenset[str] = frozenset()) -> frozenset[str]:
    """Name the kinds of a text's figures that are no mere counts: %, $, date, time, a scale.

    **Shape**: with ``of``, numbers as they are written, the kinds of those figures only.
    """
    plain = {number.replace(",", "") for number in of}
    return frozenset(
        measure.unit
        for measure in _measures(text)
        if measure.unit in _KINDS and (not of or plain & set(_DIGITS.findall(measure.value)))
    )


_DIGITS = re.compile(r"\d+(?:[.:]\d+)*")


_KINDS = frozenset({"date", "time", "$", "%", *_SAME_SCALE.values()})
_LEAST_SHARED = 2
_LEAST_SHARE = 0.5
_MANY_SHARED = 4
_LARGE_SHARE = 0.75


def _fit(mine: Measure, theirs: Measure) -> float:
    shared = mine.topic & theirs.topic
    smaller = min(len(mine.topic), len(theirs.topic))
    if mine.is_count and mine.has_changed and mine.unit in shared:
        return len(shared) + len(shared) / smaller
    if len(shared) < _LEAST_SHARED or not smaller:
        return 0.0
    share = len(shared) / smaller
    is_same = len(shared) >= _MANY_SHARED and share >= _LARGE_SHARE
    is_renewed = mine.has_changed and (share >= _LEAST_SHARE or len(shared) >= _MANY_SHARED)
    return len(shared) + share + mine.has_changed if is_same or is_renewed else 0.0


@lru_cache(maxsize=4096)
def _measures(text: str) -> tuple[Measure, ...]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[Measure]:
    rest = text
    for kind, pattern in (("date", _DATE), ("time", _TIME)):
        for found in pattern.finditer(rest):
            value, (start, end) = _plain_date(found[0]), found.span()
            yield Measure(value, kind, _around(text, start, end), _is_renewed(text, start, end))
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    for found in _NUMBER.finditer(rest):
        before = rest[max(0, found.start() - 24) : found.start()]
        if not found["money"] and _PART_OF_A_NAME.search(before):
            continue
        counted = _counted_before(rest[: found.start()])
        unit = _unit(found) or counted
        if unit and unit not in _LENGTHS:
            start, end = found.start(), found.end("number")
            unit, topic = _of_persons(unit, text[:start], _around(text, start, end))
            yield Measure(
                value=found["number"].replace(",", "") + (found["unit"] or "").lower(),
                unit=unit,
                topic=topic,
                has_changed=_is_renewed(text, start, end),
                is_count=unit == counted,
            )


def _of_persons(unit: str, before: str, topic: frozenset[str]) -> tuple[str, frozenset[str]]:
    """Name people by what is done to them: who mentors five women has five mentees."""
    done = _DONE_TO.search(before) if unit in _PERSONS else None
    if done is None:
        return unit, topic
    named = _NAMED_BY[done["verb"].lower()]
    return named, topic | {named}


_NAMED_BY = {
    verb: next(iter(content_words(noun, "en")))
    for verb, noun in {
        "mentor": "mentees",
        "train": "trainees",
        "employ": "employees",
        "interview": "interviewees",
        "invit": "invitees",
    }.items()
}
_DONE_TO = re.compile(
    rf"\b(?P<verb>{'|'.join(_NAMED_BY)})(?:e?s|e?d|ing|e)?"
    r"(?: (?!to\b|and\b|with\b|for\b)\w+){0,2} $",
    re.IGNORECASE,
)
_PERSONS = frozenset(
    key
    for word in "people persons women men students girls boys kids children adults "
    "colleagues candidates friends guests newcomers juniors".split()
    for key in content_words(word, "en")
)


_BEFORE, _AFTER, _CLOSE = 9, 6, 6


def _is_renewed(text: str, start: int, end: int) -> bool:
    """Tell whether a word of change stands close to a number, in its clause."""
    before = " ".join(re.split(r"[,;.!?] ", text[:start])[-1].split()[-_CLOSE:])
    after = " ".join(text[end:].split()[:2])
    return bool(_GROWN.search(before) or re.search(r"\b(?:now|instead|so far)\b", after))


def _around(text: str, start: int, end: int) -> frozenset[str]:
    """Gather what a number is about: the content words near it, the unit's noun among them."""
    near = [*text[:start].split()[-_BEFORE:], *text[end:].split()[:_AFTER]]
    keys = content_words(" ".join(near), "en")
    return frozenset(k for k in keys if k not in _TOPICLESS and not any(c.isdigit() for c in k))


def _plain_date(text: str) -> str:
    """Write a date one way: "1 April 2024" and "April 1, 2024" are the same day."""
    month = re.search(_MONTH, text, re.IGNORECASE)
    day = re.search(r"\b\d{1,2}(?!\d)", text)
    if not month or not day:
        return re.sub(r"[\s.]", "", text.lower()).replace(":00", "")
    return f"{day[0]} {month[0][:3].lower()}"


def _unit(found: re.Match[str]) -> str:
    if found["money"]:
        return "$"
    written = (found["unit"] or "").lower()
    if written:
        return _SAME_SCALE.get(written, written)
    following = [w for w in re.split(r"[ -]", found["next"].strip(" -")) if w]
    noun = next((w for w in following if w not in _NO_UNIT), "")
    return next(iter(content_words(noun, "en")), "")


def _counted_before(text: str) -> str:
    """The unit of "the number of commits merged has now reached 165"."""
    clause = re.split(r"[;.!?] ", text)[-1]
    counted = list(_COUNT_OF.finditer(clause))
    if not counted or not _REACHED.search(clause):
        return ""
    return next(iter(content_words(counted[-1]["noun"], "en")), "")


_COUNT_OF = re.compile(
    r"\b(?:number|count|growth|amount|total) of (?:the |my |our )?(?P<noun>[a-z]+)", re.IGNORECASE
)
_REACHED = re.compile(
    r"\b(?:reached|to|at|is|was|now|hit) (?:now |about |around |almost )?$", re.IGNORECASE
)
_TOPICLESS = frozenset(
    key for word in (*_BUSY, *words.TOPICLESS, "user") for key in content_words(word, "en")
)
