"""Texts as words: cut, folded, stripped of function words and stemmed, CJK as pairs.

Everything that compares two texts starts here, so that a statement, a prediction and a query
are cut the same way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from extraction.comparison_words import IRREGULAR
from extraction.languages import STOP_WORDS, fold, guess_language

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3々〆ー"
# Numbers with their separators, then words that keep + and # (C++ is not C), then single CJK runs.
_TOKEN = re.compile(
    rf"(?P<number>(?<![^\W_{_CJK}])[-\u2212]?\d+(?:[.,:]\d+)*(?![^\W_{_CJK}]))"
    rf"|(?P<cjk>[{_CJK}]+)"
    rf"|(?P<word>[^\W_{_CJK}]+(?:['\u2019._@][^\W_{_CJK}]+)*(?:\+\+|\#)?)"
)
_ELISION = re.compile(r"^(?:[dljmntsc]|qu|dell|nell|all|dall|sull|un|quell)'(?=\w{2})")
_KANA_PARTICLES = re.compile("[\u3040-\u309f]{2}")


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its key (folded and stemmed), its folded form, and how it was written."""

    key: str
    folded: str
    written: str
    start: int
    is_number: bool = False
    is_cjk: bool = False


@lru_cache(maxsize=4096)  # an episode is read again for each of its candidates
def content_words(text: str, language: str = "") -> tuple[str, ...]:
    """List what a text is about: folded, stemmed words without function words.

    **Shape**: in order, with repeats; CJK as bigrams (a lone character as itself). Without
    ``language`` it is guessed; compare two texts with the same one.
    """
    return tuple(t.key for t in tokens(text, language or guess_language(text)))


def raw_tokens(text: str) -> Iterator[Token]:
    """Cut a text into words, numbers and CJK runs, each folded."""
    for match in _TOKEN.finditer(text):
        written = match.group()
        folded = fold(written).replace("\u2212", "-")
        yield Token(
            key=folded,
            folded=folded,
            written=written,
            start=match.start(),
            is_number=match.lastgroup == "number",
            is_cjk=match.lastgroup == "cjk",
        )


def tokens(text: str, language: str) -> Iterator[Token]:
    """Yield the tokens of a text that carry content, with their keys."""
    stop = STOP_WORDS.get(language, frozenset())
    for token in raw_tokens(text):
        if token.is_cjk:
            yield from _bigrams(token)
        elif token.is_number:
            yield replace(token, key=plain_number(token.folded))
        elif (word := _bare(token.folded)) and not _is_function_word(word, token, stop):
            yield replace(token, key=stem(word, language))


def _is_function_word(word: str, token: Token, stop: frozenset[str]) -> bool:
    """Say whether a word only holds a sentence together. A lone capital may be a name: C, R, Q."""
    if len(word) == 1 and word.isascii() and word.isalpha():
        return not (token.written.isupper() and word not in "aiyoe")
    return word in stop or token.folded in stop or token.folded.endswith("n't")


def _bigrams(token: Token) -> Iterator[Token]:
    """Cut a CJK run into overlapping pairs, leaving out pairs of hiragana.

    Two hiragana in a row are nearly always grammar; a run of nothing else is kept whole.
    """
    run = token.folded
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    telling = [p for p in pairs if not _KANA_PARTICLES.fullmatch(p)] or pairs
    for pair in telling:
        place = token.start + max(0, run.find(pair))
        yield Token(key=pair, folded=pair, written=pair, start=place, is_cjk=True)


def _bare(word: str) -> str:
    """Take an elided article ("l'") or a possessive ("'s") off a word."""
    word = _ELISION.sub("", word)
    return word[:-2] if word.endswith("'s") else word.rstrip("'")


def as_written(found: Iterable[Token]) -> tuple[str, ...]:
    """Keep the first writing of each key, joining CJK pairs that overlap."""
    seen: dict[str, str] = {}
    words: list[str] = []
    last: Token | None = None
    for token in found:
        joins = last is not None and token.is_cjk and last.is_cjk and last.start + 1 == token.start
        if joins and words and words[-1].endswith(token.written[0]):
            words[-1] += token.written[1:]
        elif token.key not in seen:
            words.append(token.written)
        seen[token.key] = token.written
        last = token
    return tuple(dict.fromkeys(words))


@lru_cache(maxsize=65536)
def stem(word: str, language: str = "en") -> str:
    """Cut the commonest endings off a folded word, and unify a few synonyms.

    Light on purpose: it must never make two different names one, so short words stay whole.
    """
    if not word.isalpha():
        return word
    word = IRREGULAR.get(language, {}).get(word, word)
    cut = _SUFFIX_CUTS.get(language)
    return cut(word) if cut else word


def _cut_english(word: str) -> str:
    if len(word) > 4 and word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        root = word[: -len(suffix)]
        if word.endswith(suffix) and len(root) > 2 and re.search("[aeiouy]", root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            word = root[:-1] if doubled else root
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _cut_by(*suffixes: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\w\w\w\w)(?:{'|'.join(suffixes)})$")


_GERMAN = _cut_by("ern", "en", "er", "es", "em", "et", "st", "e", "n", "s", "t")
_FRENCH = _cut_by("ees", "ent", "ons", "ez", "er", "ee", "es", "e", "s", "x")
_SPANISH = _cut_by("ando", "iendo", "ar", "er", "ir", "os", "as", "es", "an", "en", "o", "a", "e")
_ITALIAN = _cut_by("ando", "endo", "are", "ere", "ire", "ato", "uto", "ito", "o", "a", "e", "i")

_SUFFIX_CUTS: Mapping[str, Callable[[str], str]] = {
    "en": _cut_english,
    "de": partial(_GERMAN.sub, ""),
    "fr": partial(_FRENCH.sub, ""),
    "es": partial(_SPANISH.sub, ""),
    "it": partial(_ITALIAN.sub, ""),
}


def plain_number(folded: str) -> str:
    """Write a number one way: 1,000 and 1.000 as 1000, 3,5 as 3.5."""
    if re.fullmatch(r"-?\d{1,3}(?:[.,]\d{3})+", folded):
        return re.sub("[.,]", "", folded)
    return re.sub(r"(?<=\d),(?=\d)", ".", folded)
