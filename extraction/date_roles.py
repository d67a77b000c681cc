"""What stands around a date: its preposition, and whether the sentence looks back or ahead."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from extraction.date_forms import WORDS, compile_words

Role = Literal["since", "until", "on", "between"]

_DASH = r"[-\u2013\u2014~\uff5e]"
_ARTICLE = r"(?:the|der|dem|den|die|das|le|la|l['\u2019]|el|il|lo|los|las)"
_SENTENCE_EDGE = re.compile(r"[.!?;\n\u3002\uff01\uff1f](?=\s|$|[^\x00-\x7f])|\n")
_CLAUSE_EDGE = re.compile(r",\s|\s(?:and|but|und|aber|et|mais|y|pero|e|ma)\s|[\uff0c\u3001]")
_AND = re.compile(r"and|und|et|y|e", re.IGNORECASE)
_BETWEEN = re.compile(r"between|zwischen|entre|tra|fra", re.IGNORECASE)
_LEANS_CJK = {
    "zh": (re.compile("将|會|会|要|打算|计划|準備|准备"), re.compile("了|过|過|曾|去过")),
    "ja": (
        re.compile("つもり|予定|します|だろう|でしょう|しよう"),
        re.compile("た(?=[。、 ]|$)|ました|だった|でした"),
    ),
}
_CJK_BEFORE: Mapping[str, tuple[tuple[Role, re.Pattern[str]], ...]] = {
    "zh": (
        ("since", re.compile("(?:自从|自|从)$")),
        ("until", re.compile("(?:直到|截至|截止到?|到|至)$")),
    ),
    "ja": (),
}
_CJK_AFTER: Mapping[str, tuple[tuple[Role, bool, re.Pattern[str]], ...]] = {
    "zh": (
        ("since", False, re.compile("以来|起|开始|開始|至今")),
        ("since", True, re.compile("以后|之后|以後|之後|(?<=年)[后後]")),
        ("until", True, re.compile("以前|之前|(?<=年)前(?!半)")),
        ("until", False, re.compile("为止|為止")),
    ),
    "ja": (
        ("since", False, re.compile("から|以来|以降")),
        ("until", True, re.compile("より前|以前")),
        ("until", False, re.compile("まで(?:に)?")),
    ),
}


@dataclass(frozen=True, slots=True)
class Cue:
    """The word of time at a date: where it stands, and what it makes of the date.

    **Shape**: ``start`` is −1 where nothing stands before; ``end`` covers what stands behind.
    ``lean`` is the direction the word itself demands ("since" looks back).
    """

    role: Role
    start: int = -1
    end: int = 0
    exclusive: bool = False
    lean: str = ""
    word: str = ""


@lru_cache(maxsize=16)
def _cues(language: str) -> tuple[tuple[Role, bool, str, re.Pattern[str]], ...]:
    """Compile a language's prepositions, each as it stands at the end of what goes before."""
    words = WORDS[language]
    table: tuple[tuple[Role, bool, str, str], ...] = (
        ("since", False, "past", words.since),
        ("until", False, "future", words.until),
        ("since", True, "", words.after),
        ("until", True, "", words.before),
        ("on", False, "", words.opens),
        ("on", False, "", words.on),
    )
    return tuple(
        (
            role,
            exclusive,
            lean,
            re.compile(
                rf"(?<!\w)(?P<cue>{words})(?:\s+{_ARTICLE})?(?:\s+year)?(?:\s+|(?<=['\u2019]))$",
                re.IGNORECASE,
            ),
        )
        for role, exclusive, lean, words in table
    )


def cue_before(text: str, start: int, end: int, *, language: str) -> Cue:
    """Find a date's preposition; Chinese and Japanese also put it behind."""
    if language in _CJK_AFTER:
        return _cue_cjk(text, start, end, language=language)
    if language not in WORDS:
        return Cue("on")
    before = text[max(0, start - 32) : start]
    for role, exclusive, lean, pattern in _cues(language):
        found = pattern.search(before)
        if found:
            place = start - len(before) + found.start()
            return Cue(role, place, exclusive=exclusive, lean=lean, word=found["cue"])
    return Cue("on")


def _cue_cjk(text: str, start: int, end: int, *, language: str) -> Cue:

    for role, exclusive, pattern in _CJK_AFTER[language]:
        found = pattern.match(text, end)
        if found:
            before = _cjk_before(text, start, language)
            place = before.start if before.role == role else -1
            lean = "past" if role == "since" else "future"
            return Cue(role, place, end=found.end(), exclusive=exclusive, lean=lean)
    return _cjk_before(text, start, language)


def _cjk_before(text: str, start: int, language: str) -> Cue:
    before = text[max(0, start - 4) : start]
    for role, pattern in _CJK_BEFORE[language]:
        found = pattern.search(before)
        if found:
            lean = "past" if role == "since" else ""
            return Cue(role, start - len(before) + found.start(), lean=lean, word=found[0])
    return Cue("on")


@lru_cache(maxsize=16)
def _leans(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    if language in _LEANS_CJK:
        return _LEANS_CJK[language]
    words = WORDS[language]
    return compile_words(words.future), compile_words(words.past)


def lean_at(text: str, start: int, end: int, *, cue: Cue, language: str) -> str:
    """Say whether a date looks back or ahead: as its preposition demands, else its clause.

    **Shape**: "by March 9" looks ahead, but not behind what is finished: "wrote 60% by March 9".
    """
    if cue.role == "until" and language == "en" and _is_finished(text[: cue.start]):
        return "past"
    return cue.lean or lean_of(text, start, end, language=language)


def _is_finished(before: str) -> bool:
    clause = _SENTENCE_EDGE.split(before)[-1]
    finished = _FINISHED.search(clause)
    return finished is not None and not _STILL_TO_DO.search(clause)


_FINISHED = re.compile(
    r"\b(?:completed|finished|reached|achieved|attained|submitted|wrote|written|secured|passed"
    r"|solved|grew|grown|rose|risen|climbed|scored|earned|sold|merged|saved)\b(?:[^,;]|(?<=\d),(?=\d))*$",
    re.IGNORECASE,
)
_STILL_TO_DO = re.compile(
    r"\b(?:will|['\u2019]ll|to|should|must|shall|need\w*|want\w*|plan\w*|aim\w*|hop\w+|goals?"
    r"|targets?|deadlines?|expect\w*|can|could|would|if|get|be)\b",
    re.IGNORECASE,
)


def lean_of(text: str, start: int, end: int, *, language: str) -> str:
    """Say whether the clause around a date, or else its sentence, looks back or
    ahead.
    """
    if language not in WORDS and language not in _LEANS_CJK:
        return ""
    begin, stop = _around(text, start, end, edge=_SENTENCE_EDGE)
    sentence = text[begin:stop]
    left, right = _around(sentence, start - begin, end - begin, edge=_CLAUSE_EDGE)
    return _lean(sentence[left:right], language) or _lean(sentence, language)


def is_yearly(text: str, start: int, end: int, *, language: str) -> bool:
    """Say whether the sentence around a date speaks of a birthday or another
    yearly day.
    """
    begin, stop = _around(text, start, end, edge=_SENTENCE_EDGE)
    return bool(_yearly(language).search(text, begin, stop))


@lru_cache(maxsize=16)
def _yearly(language: str) -> re.Pattern[str]:
    words = WORDS.get(language)
    return (
        compile_words(words.yearly)
        if words
        else re.compile("生日|出生|誕生日|生まれ|纪念日|記念日")
    )


def _around(text: str, start: int, end: int, *, edge: re.Pattern[str]) -> tuple[int, int]:
    before = [m.end() for m in edge.finditer(text, 0, start)]
    after = edge.search(text, end)
    return (before[-1] if before else 0), (after.start() if after else len(text))


def _lean(words: str, language: str) -> str:
    future, past = (bool(p.search(words)) for p in _leans(language))
    if future == past:
        return ""
    return "future" if future else "past"


def joins(gap: str, cue: Cue, language: str) -> bool:
    """Say whether the words between two dates make them one period."""
    gap = gap.strip()
    if re.fullmatch(rf"{_DASH}|到|至|から|から\s*|まで", gap):
        return True
    if language not in WORDS or not gap:
        return False
    if _AND.fullmatch(gap):
        return bool(_BETWEEN.match(cue.word))
    return bool(re.fullmatch(rf"(?:{WORDS[language].pair})(?:\s+{_ARTICLE})?", gap, re.IGNORECASE))
