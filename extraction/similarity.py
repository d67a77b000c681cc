"""How alike two texts are: content words, cosine, surprise, and the guards against false twins.

A changed number, a negation and a changed name leave an embedding almost where it was, so no
two texts count as duplicates unless every guard agrees. The guards err on the strict side:
a missed duplicate costs a curator one click, a swallowed update is a fact lost.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from extraction.comparison_words import (
    CALENDAR,
    FRAMES,
    IRREGULAR,
    LIGHT,
    NEGATIONS,
    NUMBER_WORDS,
    OPPOSITES,
    PEOPLE,
    SYNONYMS,
)
from extraction.errors import VectorMismatch
from extraction.languages import guess_language
from extraction.words import (
    Token,
    as_written,
    content_words,
    plain_number,
    raw_tokens,
    stem,
    tokens,
)

__all__ = [
    "adds_nothing",
    "content_words",
    "cosine",
    "equal_words",
    "guards_agree",
    "is_clause_of",
    "numbers_in",
    "surprise",
]

_CJK_NUMBER = re.compile(
    "[〇零一二两三四五六七八九十百千万億亿]+(?=[个個岁歳年月日号號次周週天人位台块元名本点點時时分])"
)
_CJK_NOT_BEFORE = re.compile(
    "(?:不(?!错|過|过|仅|但|同)|没|沒|(?<!是)非|别(?!人|的)|未(?!来|來)).{0,2}"
)
_CJK_NOT_AFTER = re.compile("(.{0,2})(?:ない|ません|なかった|なく|지 않)")
# Grammar in Chinese and Japanese, and what the number and negation guards compare anyway.
_CJK_LIGHT = re.compile(
    "です|ます|である|だった|だ$|[很的了是在我她他你们們也都就着著过過吗呢和与與跟这這那有没沒不非はがをにのでともやかへいるた]"
    "|[〇零一二两三四五六七八九十百千万億亿个個]"
)
_PAST = frozenset(
    """was were had did war waren hatte hatten wurde etait etais etaient avait era eran fue estaba
    erano fu aveva""".split()
)


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Give the cosine of two vectors, whether or not they are normalised.

    **Units**: −1..1; 0 where either has no length. **Raises**: ``VectorMismatch``.
    """
    if len(a) != len(b):
        raise VectorMismatch(left=len(a), right=len(b))
    length = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    if not length or not math.isfinite(length):
        return 0.0
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / length))


def surprise(
    statement: str, predictions: Sequence[str], *, language: str = ""
) -> tuple[float, tuple[str, ...]]:
    """Say how much of a statement no prediction held, and which words.

    **Units**: 0..1, 1 − share of distinct content words that any prediction held; 0 for a
    statement without content words. **Shape**: the words as the statement writes them, once each.
    """
    language = language or guess_language(statement)
    expected = {key for text in predictions for key in content_words(text, language)}
    found = list(tokens(statement, language))
    distinct = {t.key for t in found}
    if not distinct:
        return 0.0, ()
    missing = distinct - expected
    return len(missing) / len(distinct), as_written(t for t in found if t.key in missing)


def guards_agree(a: str, b: str) -> bool:
    """Say whether nothing a vector overlooks tells two texts apart.

    Numbers, negation, named values, kinship words, attitude (wants, might, used to), tense and
    opposites must agree, and the texts must not differ by one swapped value alone.
    """
    language = guess_language(a)
    if guess_language(b) != language:
        return False
    left, right = _Reading.of(a, language), _Reading.of(b, language)
    return all(
        guard(left, right)
        for guard in (
            _numbers_agree,
            _negation_agrees,
            _names_agree,
            _marks_agree,
            _tense_agrees,
            _no_opposites,
            _no_swapped_value,
        )
    )


def equal_words(a: str, b: str) -> bool:
    """Say whether two texts are the same but for case, width and punctuation.

    Function words count: "was in Rome" is not "is in Rome".
    """
    left, right = _folded_words(a), _folded_words(b)
    return bool(left) and left == right


@lru_cache(maxsize=4096)
def _folded_words(text: str) -> tuple[str, ...]:
    return tuple(t.folded for t in raw_tokens(text))


def is_clause_of(atomic: str, compound: str) -> bool:
    """Say whether one clause of a compound statement already says it all.

    "Ana works at Acme" is a clause of "Ana lives in Berlin and works at Acme", whose first words
    name whom every clause is about. Only whole clauses count, so "Ana wants to stop smoking"
    does not hold "Ana smokes".
    """
    language = guess_language(compound)
    wanted = content_words(atomic, language)
    clauses = [c for c in _CLAUSE_BREAK.split(compound) if content_words(c, language)]
    if len(wanted) < 2 or len(clauses) < 2:
        return False
    return any(guards_agree(atomic, c) for c in _whole_clauses(clauses, wanted, language))


_CLAUSE_BREAK = re.compile(
    r"\s*(?:[,;]\s*)?\b(?:and|but|und|aber|et|mais|y|pero|e|ma)\b\s+|;\s*|[\uff1b\uff0c]"
)


def _whole_clauses(clauses: list[str], wanted: tuple[str, ...], language: str) -> Iterator[str]:
    """Yield the clauses whose content words are those wanted."""
    first = clauses[0].split()
    for clause in clauses:
        if content_words(clause, language) == wanted:
            yield clause
    for clause in clauses[1:]:
        for lead in range(1, min(4, len(first))):
            whole = " ".join([*first[:lead], clause])
            if content_words(whole, language) == wanted:
                yield whole


def adds_nothing(new: str, held: str) -> bool:
    """Say whether a text has no content word that another lacks."""
    language = guess_language(held)
    return not _lacking(_Reading.of(new, language), _Reading.of(held, language))


# --- the guards -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text as the guards read it."""

    text: str
    language: str
    raw: tuple[Token, ...]
    content: tuple[Token, ...]

    @classmethod
    def of(cls, text: str, language: str) -> "_Reading":
        return cls(text, language, tuple(raw_tokens(text)), tuple(tokens(text, language)))

    @property
    def folded(self) -> frozenset[str]:
        return frozenset(t.folded.removesuffix("'s") for t in self.raw)

    @property
    def keys(self) -> frozenset[str]:
        """What the text is about, without what the number and negation guards compare anyway."""
        spoken_for = (
            NEGATIONS.get(self.language, frozenset()) | NUMBER_WORDS.get(self.language, {}).keys()
        )
        words = {
            _synonym(t.key, self.language)
            for t in self.content
            if not (t.is_number or t.is_cjk or t.folded in spoken_for)
        }
        runs = "".join(t.folded for t in self.raw if t.is_cjk)
        return frozenset(words) | frozenset(_CJK_LIGHT.sub("", runs))


def _synonym(key: str, language: str) -> str:
    return _STEMMED_SYNONYMS.get(key, key) if language == "en" else key


_STEMMED_SYNONYMS = {stem(word): stem(group) for word, group in SYNONYMS.items()}


def numbers_in(text: str, language: str = "") -> frozenset[str]:
    """List the numbers a text holds, in digits or in words, written one way.

    **Shape**: digits inside words count ("5th", "v2"); a lone "one" does not.
    """
    words = NUMBER_WORDS.get(language or guess_language(text), {})
    found: set[str] = set()
    spelled = 0
    for token in raw_tokens(text):
        value = words.get(token.folded)
        if value is not None and 0 < value < 10 and spelled >= 20:
            found.discard(str(spelled))
            value += spelled
        spelled = value if value is not None and value % 10 == 0 and value < 100 else 0
        if value is not None:
            found.add(str(value))
        elif token.is_number:
            found.add(plain_number(token.folded))
        elif not token.is_cjk:
            found.update(re.findall(r"\d+", token.folded))
    return frozenset(n.lstrip("0") or "0" for n in found) | set(_CJK_NUMBER.findall(text))


def _numbers_agree(a: _Reading, b: _Reading) -> bool:
    return numbers_in(a.text, a.language) == numbers_in(b.text, b.language)


def _negated(reading: _Reading) -> frozenset[str]:
    """List what is negated: the content word after each negation."""
    negations = NEGATIONS.get(reading.language, frozenset())
    heads = set(_CJK_NOT_BEFORE.findall(reading.text)) | set(_CJK_NOT_AFTER.findall(reading.text))
    for token in reading.raw:
        if token.folded in negations or token.folded.endswith("n't"):
            after = (t for t in reading.content if t.start > token.start)
            heads.add(next((t.key for t in after if t.folded not in negations), ""))
    return frozenset(heads)


def _negation_agrees(a: _Reading, b: _Reading) -> bool:
    left, right = _negated(a), _negated(b)
    return bool(left & right) if left or right else True


def _names(reading: _Reading) -> tuple[str, ...]:
    """List what looks like a name: capitals, digits, dots or an @ inside."""
    return tuple(
        t.key
        for t in reading.content
        if not t.is_cjk
        and not t.is_number
        and (t.written != t.written.lower() or re.search(r"[\d._@+#]", t.written))
    )


def _names_agree(a: _Reading, b: _Reading) -> bool:
    left, right = _names(a), _names(b)
    held_left, held_right = ({t.key for t in r.content} for r in (a, b))
    if not (set(left) <= held_right and set(right) <= held_left):
        return False
    shared = set(left) & set(right)  # who does what to whom: names keep their order
    return [n for n in dict.fromkeys(left) if n in shared] == [
        n for n in dict.fromkeys(right) if n in shared
    ]


def _marks_agree(a: _Reading, b: _Reading) -> bool:
    """Compare kinship words, calendar words, and words that frame a claim."""

    def marks(reading: _Reading) -> set[str]:
        marked = reading.folded & (PEOPLE | FRAMES | CALENDAR)
        return {_synonym(stem(w, reading.language), reading.language) for w in marked}

    return marks(a) == marks(b)


def _tense_agrees(a: _Reading, b: _Reading) -> bool:
    """Tell "lived" from "lives" and "was" from "is"."""
    if bool(a.folded & _PAST) != bool(b.folded & _PAST):
        return False
    if a.language != "en":
        return True
    left, right = _past_forms(a), _past_forms(b)
    return all(left[key] & right[key] for key in left.keys() & right.keys())


def _past_forms(reading: _Reading) -> dict[str, set[bool]]:
    forms: dict[str, set[bool]] = {}
    for token in reading.content:
        is_past = token.folded.endswith("ed") or token.folded in IRREGULAR["en"]
        forms.setdefault(token.key, set()).add(is_past)
    return forms


def _no_opposites(a: _Reading, b: _Reading) -> bool:
    left, right = a.folded | a.keys, b.folded | b.keys
    return not any((x, y) in OPPOSITES for x in left - right for y in right - left)


def _no_swapped_value(a: _Reading, b: _Reading) -> bool:
    """Say whether at most one of two texts has words the other lacks."""
    return not (_lacking(a, b) and _lacking(b, a))


def _lacking(a: _Reading, b: _Reading) -> set[str]:
    """List the words of ``a`` that ``b`` has in no form, light words aside."""
    return {
        key
        for key in a.keys - b.keys
        if key not in LIGHT and not any(_same_root(key, other) for other in b.keys)
    }


def _same_root(a: str, b: str) -> bool:
    """Say whether one word extends the other: vegetarian, vegetarianism."""
    short, long = sorted((a, b), key=len)
    return len(short) >= 5 and short.isalpha() and long.startswith(short)
