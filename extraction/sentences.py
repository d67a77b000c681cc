"""Where one sentence ends and the next begins, in chat text of several scripts.

A small splitter of our own: chats are short, full of emoji, links and missing capitals, and
every span must point back at the original words, so nothing here rewrites the text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

Span = tuple[int, int]

# Words whose full stop does not end a sentence, lower case, without the last stop.
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st mt ft vs e.g i.e cf approx dept est fig inc ltd co corp "
    "jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thurs fri "
    "rev gen col sgt capt lt hon ave blvd rd apt ca bzw z.b d.h u.a usw evtl p.ex m mme "
    "mlle".split()
)
# These end a sentence only when what follows looks like a new one.
_SOFT_ABBREVIATIONS = frozenset("a.m p.m u.s u.k u.n e.u etc no ph.d b.sc m.sc al".split())
_PROTECTED = re.compile(
    r"```.*?(?:```|\Z)"  # a fenced block is one unit: its line breaks are not sentence breaks
    r"|`[^`\n]+`"
    r"|https?://[^\s<>\"]*[^\s<>\".,;:!?)\]]"
    r"|www\.[^\s<>\"]*[^\s<>\".,;:!?)\]]"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|\[[^\[\]\n]*\]",  # a bracketed note ("[picture: …]") keeps its own stops
    re.DOTALL,
)
_TERMINATOR = re.compile(
    r"[.!?\u2026\u203d\u061f\u06d4\u0964]+|[\u3002\uff01\uff1f\uff61]+|\n+|(?=\[)"
)
_CJK_STOPS = "\u3002\uff01\uff1f\uff61"
_CLOSERS = "\"'\u2019\u201d)]\u300d\u300f\uff09\u300b\u00bb*_"
_NEAR = 40  # as far as any decision looks back or ahead
# "J.K. Rowling"; "the U.S. We" is told by the soft abbreviations.
_INITIALS = re.compile(r"(?<![\w.])[A-Z]\.[A-Z](?:\.[A-Z])?\Z")
_WORD_BEFORE = re.compile(r"[\w.]+\Z")


def split(text: str) -> list[Span]:
    """Cut a text into sentences and say where each one stands.

    **Shape**: ``(start, end)`` pairs in order, never overlapping, never empty, trimmed of white
    space. **Units**: code points, half-open, so ``text[start:end]`` is the sentence.
    """
    spans: list[Span] = []
    start = 0
    for end in _boundaries(text):
        _append_trimmed(text, (start, end), spans)
        start = end
    _append_trimmed(text, (start, len(text)), spans)
    return spans


def texts(text: str) -> list[str]:
    """Cut a text into its sentences, without their places."""
    return [text[start:end] for start, end in split(text)]


def _boundaries(text: str) -> Iterator[int]:
    protected = [match.span() for match in _PROTECTED.finditer(text)]
    opens = [start for start, _end in protected]
    for match in _TERMINATOR.finditer(text):
        at = match.start()
        place = bisect_left(opens, at) - 1
        if place >= 0 and at < protected[place][1]:
            continue
        if not match.group():
            if _opens_after_a_sentence(text, at):
                yield at
            continue
        end = _after_closers(text, match.end())
        if _ends_sentence(text, match.group(), (at, end)):
            yield end


def _opens_after_a_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - _NEAR) : at].rstrip()
    return bool(before) and before[-1] in ".!?\u2026" + _CJK_STOPS


def _after_closers(text: str, end: int) -> int:
    while end < len(text) and text[end] in _CLOSERS:
        end += 1
    return end


def _ends_sentence(text: str, mark: str, span: Span) -> bool:
    at, end = span
    if "\n" in mark or mark[0] in _CJK_STOPS:
        return True
    follows = text[end : end + 1]
    if follows and not follows.isspace() and _is_wordlike(follows):
        return False  # 3.5, settings.py, v2.1, "wait...what"
    if mark != ".":
        return not (set(mark) == {"."} and text[end : end + _NEAR].lstrip()[:1].islower())
    return not _is_abbreviation(text, at, text[end : end + _NEAR].lstrip()[:1])


def _is_wordlike(char: str) -> bool:
    # An emoji or a dash right after the stop still starts something new.
    return char.isalnum() or char in "/_-.,:;@"


def _is_abbreviation(text: str, at: int, follows: str) -> bool:
    match = _WORD_BEFORE.search(text[max(0, at - 20) : at])
    word = match.group().lower() if match else ""
    if word in _SOFT_ABBREVIATIONS:
        # "No. 5" numbers something, "No. I moved" is an answer.
        return follows.isdigit() if word == "no" else bool(follows) and not follows.isupper()
    if word in _ABBREVIATIONS and follows:
        return True
    is_initial = len(word) == 1 and word.isalpha() and text[at - 1].isupper() and word != "i"
    is_initial = is_initial or (bool(_INITIALS.search(text, 0, at)) and follows.isupper())
    lead = text[max(0, at - _NEAR) : at - len(word)].rstrip(" \t")
    is_list_number = word.isdigit() and len(word) <= 2 and lead[-1:] in {"", "\n"}
    return bool(follows) and (is_initial or is_list_number)


def _append_trimmed(text: str, span: Span, spans: list[Span]) -> None:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
