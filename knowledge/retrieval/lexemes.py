"""Texts and queries as the lexemes they are found by.

Built here and not by PostgreSQL's parser, which makes one token of a Chinese sentence, knows no
accent folding, and drops the plus signs of ``C++``. A text and a query are cut by the same rules,
so that whatever a rule does it does on both sides.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from knowledge.retrieval.function_words import FUNCTION_WORDS

# Limits of PostgreSQL's tsvector: positions end at 16,383, at most 255 a lexeme, a lexeme has
# under 2,047 bytes, and the whole under 1 MB. What lies beyond is not indexed.
_MAX_POSITION = 16_383
_MAX_POSITIONS_OF_ONE = 255
_MAX_LEXEME_CHARACTERS = 120
_MAX_BYTES = 900_000
_BYTES_BESIDE_A_LEXEME = 16

# Scripts written without spaces: Thai, Lao, Burmese, Khmer, kana, Han, Hangul. Cut into pairs.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and the like are part of a word, although Python's \w does not hold them.
_MARKS = "".join(
    chr(code) for code in range(0x483, 0xFE00) if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
_LETTER = rf"[^\W_{_UNSPACED}{_MARKS}]"
_WORD = rf"{_LETTER}[^\W{_UNSPACED}{_MARKS}]*(?:[{_MARKS}]+[^\W{_UNSPACED}]*)*"
_TOKEN = re.compile(
    rf"(?P<pairs>[{_UNSPACED}]+)"
    rf"|(?P<number>(?<![\w.])[-−]?\d+(?:[.,:]\d+)*(?!{_LETTER}|_|[.@'-]{_LETTER}))"
    rf"|(?P<word>{_WORD}(?:[.@'/:&_-]{_WORD})*(?:\+\+|\#)?)"
)
_JOINT = re.compile(r"[.@'/:&_-]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INVISIBLE = re.compile("[\u0300-\u036f\u0640\u064b-\u065f\u0670\ufe00-\ufe0f]")


@dataclass(frozen=True, slots=True)
class IndexedText:
    """What a search entry stores of a text.

    **Shape**: ``literal`` can be cast to ``tsvector``; ``length`` counts its positions.
    """

    literal: str
    length: int


def index_text(text: str, *, language: str = "") -> IndexedText:
    """Cut a text into lexemes with their positions.

    ``language`` (ISO 639-1, empty for English) decides which function words are left out.
    """
    positions: dict[str, list[int]] = {}
    length = size = 0
    for lexeme in _lexemes(text, function_words=FUNCTION_WORDS.get(language or "en", frozenset())):
        size += len(lexeme.encode()) + _BYTES_BESIDE_A_LEXEME
        if length == _MAX_POSITION or size > _MAX_BYTES:
            break
        length += 1
        places = positions.setdefault(lexeme, [])
        if len(places) < _MAX_POSITIONS_OF_ONE:
            places.append(length)
    literal = " ".join(
        f"{_quoted(lexeme)}:{','.join(map(str, places))}" for lexeme, places in positions.items()
    )
    return IndexedText(literal=literal, length=length)


def query_terms(text: str) -> tuple[str, ...]:
    """List the lexemes a query asks for, each once, in order.

    A query of nothing but English function words keeps them: elsewhere they may mean something.
    """
    content = dict.fromkeys(_lexemes(text, function_words=FUNCTION_WORDS["en"]))
    return tuple(content or dict.fromkeys(_lexemes(text, function_words=frozenset())))


def fold(text: str) -> str:
    """Make case, width, accents and invisible characters equal.

    Kana keep their voicing marks and Indic scripts their vowel signs, which tell words apart.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("−", "-")
    seen = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    bare = _INVISIBLE.sub("", unicodedata.normalize("NFKD", seen))
    return unicodedata.normalize("NFKC", bare)


def stem(word: str) -> str:
    """Cut the commonest English endings off a folded word.

    Light, so that two names never become one; applied to every language, because a query does
    not say which it is in, and a cut made on both sides finds what it found before.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_plural(word)
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and re.search("[aeiouy]", root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _without_plural(word: str) -> str:
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _lexemes(text: str, *, function_words: frozenset[str]) -> Iterator[str]:
    """Yield every lexeme of a text in order."""
    for match in _TOKEN.finditer(fold(text)):
        token = match.group()
        if match.lastgroup == "pairs":
            yield from _pairs(token)
        elif match.lastgroup == "number":
            yield _THOUSANDS.sub("", token)[:_MAX_LEXEME_CHARACTERS]
        else:
            yield from _word_lexemes(token.removesuffix("'s"), function_words=function_words)


def _word_lexemes(token: str, *, function_words: frozenset[str]) -> Iterator[str]:
    """Yield a word, or a compound such as ``node.js`` whole and in parts."""
    if token in function_words or (token.endswith("n't") and len(token) < 9):
        return
    parts = [part for part in _JOINT.split(token) if part]
    if len(parts) > 1:
        yield token[:_MAX_LEXEME_CHARACTERS]
    for part in parts:
        if part not in function_words:
            yield stem(part)[:_MAX_LEXEME_CHARACTERS]


def _pairs(run: str) -> Iterator[str]:
    """Yield the overlapping pairs of a run, or its only character."""
    if len(run) == 1:
        yield run
    for left, right in pairwise(run):
        yield left + right


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
