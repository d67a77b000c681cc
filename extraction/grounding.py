"""Every statement must point at words: finding quotes, and checking that they say it.

An engine's answer is a claim about a conversation. Here the claim is held against the words:
each quote must stand in its message, the statement's content must stand in the quotes, and the
subject must have said it, or have said yes to it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from extraction.comparison_words import CALENDAR
from extraction.dates import FoundDate, find_dates
from extraction.engines.base import Candidate, EpisodeMessage, Quote
from extraction.languages import fold, guess_language
from extraction.quotes import locate
from extraction.similarity import numbers_in
from extraction.words import content_words, raw_tokens, tokens

GroundReason = Literal["", "ungrounded", "not_said_by_subject"]

# Kinds whose words are no person's own, whoever they are attributed to.
_NEVER_EVIDENCE = frozenset({"system_message", "tool_call"})
_YES_WORDS = (
    r"yes|yeah|yep|yup|sure|ok(?:ay)?|right|exactly|correct|agreed|confirmed|perfect|done|great",
    r"sounds good|go ahead|do (?:it|that)|use (?:it|that)|go with (?:it|that)|that works|please do",
    r"let['\u2019]s|i(?:['\u2019]ll| will) (?:use|take|go|do)",
    r"ja|genau|stimmt|gerne|mach(?:en)? (?:das|wir)|oui|d['\u2019]accord|parfait",
    r"s\u00ed|claro|vale|de acuerdo|perfecto|s\u00ec|certo|va bene|d['\u2019]accordo",
)
_YES_CJK = "好的?|是的?|对|行|可以|同意|はい|うん|そうです|お願いします"
_YES = re.compile(rf"(?<!\w)(?:{'|'.join(_YES_WORDS)})(?!\w)|{_YES_CJK}", re.IGNORECASE)
# A "yes" that is taken back in the same breath is none.
_NO = re.compile(
    r"(?<!\w)(?:no|not|don['\u2019]t|never|nein|nicht|non|pas)(?!\w)|不|没", re.IGNORECASE
)

__all__ = ["EvidenceSpan", "Grounded", "ground", "locate"]


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """One quote as it stands in its message.

    **Shape**: ``message`` is the index in the episode; ``start``/``end`` code points of the
    original text; ``quote`` is that text.
    """

    message: int
    start: int
    end: int
    quote: str
    role: Literal["supports", "contradicts", "dates"]


@dataclass(frozen=True, slots=True)
class Grounded:
    """What grounding found. A reason means the candidate is set aside with it.

    **Shape**: ``evidence`` holds the quotes that were found, also when there is a reason;
    ``missing`` the quotes and words that were not.
    """

    evidence: tuple[EvidenceSpan, ...]
    reason: GroundReason = ""
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Words:
    """What the evidence of one candidate says, and who said it."""

    evidence: tuple[EvidenceSpan, ...]
    by_subject: tuple[EvidenceSpan, ...]
    by_others: tuple[EvidenceSpan, ...]


def ground(
    candidate: Candidate,
    messages: Sequence[EpisodeMessage],
    *,
    subject_name: str = "",
    zone: str = "UTC",
    context: Sequence[str] = (),
) -> Grounded:
    """Hold a candidate against the words it quotes.

    **Shape**: ``messages`` are the episode's; ``context`` holds known statements, whose names a
    candidate may repeat ("moved from Berlin"). The first reason found is returned:
    ``ungrounded`` where a quote, a number or a name is not in the words or the quotes do not
    speak of the statement; ``not_said_by_subject`` where the subject neither said nor confirmed.
    """
    by_index = {m.index: m for m in messages}
    found, missing = _located(candidate.evidence, by_index)
    if missing or not any(e.role == "supports" for e in found):
        return Grounded(found, "ungrounded", missing)
    words = _sorted_by_speaker(found, by_index)
    said = _said(candidate, words, by_index, subject_name=subject_name)
    if said is None:
        return Grounded(found, "not_said_by_subject")
    language = candidate.language or guess_language(candidate.text)
    predicate = _predicate(candidate.text, language, subject_name)
    spoken = [m.text for m in messages]
    if predicate and not _speaks_of(predicate, said, spoken=spoken, language=language):
        return Grounded(found, "ungrounded", tuple(sorted(predicate)))
    absent = (
        *_absent_numbers(candidate, found, by_index, zone=zone, subject_name=subject_name),
        *_absent_months(candidate, found, by_index, zone=zone),
        *_absent_names(candidate, messages, subject_name=subject_name, context=context),
    )
    return Grounded(found, "ungrounded" if absent else "", absent)


def _located(
    quotes: Sequence[Quote], by_index: dict[int, EpisodeMessage]
) -> tuple[tuple[EvidenceSpan, ...], tuple[str, ...]]:
    """Find every quote, and list those that stand nowhere."""
    found: list[EvidenceSpan] = []
    missing: list[str] = []
    for quote in quotes:
        message = by_index.get(quote.message)
        span = locate(quote.quote, message.text) if message else None
        if message is None or span is None:
            missing.append(quote.quote)
            continue
        words = message.text[span.start : span.end]
        found.append(EvidenceSpan(message.index, span.start, span.end, words, quote.role))
    return tuple(dict.fromkeys(found)), tuple(missing)


def _sorted_by_speaker(
    found: tuple[EvidenceSpan, ...], by_index: dict[int, EpisodeMessage]
) -> _Words:
    supports = [e for e in found if e.role == "supports"]

    def own(evidence: EvidenceSpan) -> bool:
        message = by_index[evidence.message]
        return message.by_subject and message.kind not in _NEVER_EVIDENCE

    return _Words(
        found,
        by_subject=tuple(e for e in supports if own(e)),
        by_others=tuple(e for e in supports if not own(e)),
    )


def _said(
    candidate: Candidate,
    words: _Words,
    by_index: dict[int, EpisodeMessage],
    *,
    subject_name: str,
) -> tuple[EvidenceSpan, ...] | None:
    """List the spans the subject stands behind: its own, and what it said yes to; or none."""
    if not words.by_subject:
        return None
    language = candidate.language or guess_language(candidate.text)
    predicate = _predicate(candidate.text, language, subject_name)
    own = _shared(predicate, [e.quote for e in words.by_subject], language)
    agreed = tuple(
        e
        for e in words.by_others
        if _is_confirmed(e, words.by_subject, by_index) or (own and _is_answered(e, words))
    )
    if agreed:
        return (*words.by_subject, *agreed)
    if words.by_others and 2 * len(own) <= len(predicate):
        return None
    return words.by_subject


def _is_confirmed(
    claim: EvidenceSpan, own: Sequence[EvidenceSpan], by_index: dict[int, EpisodeMessage]
) -> bool:
    """Say whether the subject agreed, in a quoted later message, to what another one said."""
    if by_index[claim.message].kind in _NEVER_EVIDENCE:
        return False
    return any(
        e.message > claim.message and _YES.search(e.quote) and not _NO.search(e.quote) for e in own
    )


def _is_answered(asked: EvidenceSpan, words: _Words) -> bool:
    """Say whether a quote of another is a question, which claims nothing, answered afterwards."""
    is_question = asked.quote.rstrip(" \"'\u201d").endswith(("?", "\uff1f", "\u061f"))
    return is_question and any(e.message > asked.message for e in words.by_subject)


_ONE_DAY = timedelta(days=1)
# A paraphrase shares at least this part of its content words with what it paraphrases.
_LEAST_SHARE = 0.25


def _predicate(text: str, language: str, subject_name: str) -> frozenset[str]:
    """List the content words of a statement but for the subject's name."""
    return frozenset(content_words(text, language)) - frozenset(
        content_words(subject_name, language)
    )


def _speaks_of(
    predicate: frozenset[str],
    said: Sequence[EvidenceSpan],
    *,
    spoken: Sequence[str],
    language: str,
) -> bool:
    """Say whether quotes hold enough of a predicate's content words.

    "Find cheaper ones" alone holds few; what it refers to must then stand in the episode.
    """
    shared = _shared(predicate, [e.quote for e in said], language)
    if not shared:
        return False
    around = _shared(predicate, spoken, language)
    return len(shared) >= _LEAST_SHARE * len(predicate) or 2 * len(around) > len(predicate)


def _shared(predicate: frozenset[str], quotes: Sequence[str], language: str) -> frozenset[str]:
    held = {key for quote in quotes for key in content_words(quote, language)}
    return frozenset(word for word in predicate if _is_held(word, held))


def _is_held(word: str, held: Iterable[str]) -> bool:
    """Say whether a word or another form of it (by its first five letters) is among others."""
    return any(word == other or (len(word) > 4 and word[:5] == other[:5]) for other in held)


def _absent_numbers(
    candidate: Candidate,
    found: Sequence[EvidenceSpan],
    by_index: dict[int, EpisodeMessage],
    *,
    zone: str,
    subject_name: str,
) -> tuple[str, ...]:
    """List the numbers of a statement that are neither in the quotes nor in their dates."""
    language = candidate.language or guess_language(candidate.text)
    wanted = numbers_in(candidate.text, language) - numbers_in(subject_name, language)
    if not wanted:
        return ()
    allowed: set[str] = set()
    for evidence in found:
        allowed |= numbers_in(evidence.quote, language)
        for date in _dates_of(evidence, candidate, by_index=by_index, zone=zone):
            allowed |= _numbers_of(date, zone)
    return tuple(sorted(wanted - allowed))


def _dates_of(
    evidence: EvidenceSpan,
    candidate: Candidate,
    *,
    by_index: dict[int, EpisodeMessage],
    zone: str,
) -> tuple[FoundDate, ...]:
    """Find the dates of a quote, and of the candidate's date phrase where its message has it."""
    message = by_index[evidence.message]
    phrase = candidate.date_phrase
    texts = [evidence.quote]
    if phrase and locate(phrase, message.text):
        texts.append(phrase)
    return tuple(
        date
        for text in texts
        for date in find_dates(
            text, reference=message.sent_at, zone=zone, language=candidate.language or None
        )
    )


def _numbers_of(date: FoundDate, zone: str) -> set[str]:
    """List the days, months and years a date begins and ends with."""
    numbers: set[str] = set()
    for instant in (date.from_, date.to and date.to - _ONE_DAY):
        if instant is not None:
            local = instant.astimezone(ZoneInfo(zone))
            numbers |= {str(local.day), str(local.month), str(local.year)}
    return numbers


def _absent_months(
    candidate: Candidate,
    found: Sequence[EvidenceSpan],
    by_index: dict[int, EpisodeMessage],
    *,
    zone: str,
) -> tuple[str, ...]:
    """List the dates of a statement whose month the words neither name nor come to."""
    language = candidate.language or guess_language(candidate.text)
    quoted = {fold(t.written) for e in found for t in raw_tokens(e.quote)}
    quoted |= {fold(t.written) for t in raw_tokens(candidate.date_phrase)}
    told = [d for e in found for d in _dates_of(e, candidate, by_index=by_index, zone=zone)]
    sent_at = min(by_index[e.message].sent_at for e in found)
    return tuple(
        stated.phrase
        for stated in find_dates(candidate.text, reference=sent_at, zone=zone, language=language)
        if stated.granularity in {"day", "month"}
        and CALENDAR & {fold(t.written) for t in raw_tokens(stated.phrase)} - quoted
        and not any(_overlap(stated, date) for date in told)
    )


def _overlap(a: FoundDate, b: FoundDate) -> bool:
    if a.from_ is None or a.to is None or b.from_ is None or b.to is None:
        return False
    return a.from_ < b.to and b.from_ < a.to


def _absent_names(
    candidate: Candidate,
    messages: Sequence[EpisodeMessage],
    *,
    subject_name: str,
    context: Sequence[str],
) -> tuple[str, ...]:
    """List the names in a statement that nobody in the episode mentions.

    German writes every noun with a capital, so there only ``about`` is checked.
    """
    language = candidate.language or guess_language(candidate.text)
    texts = [subject_name, *context, *(m.text for m in messages), *(m.speaker for m in messages)]
    spoken = {key for text in texts for key in content_words(text, language)}
    names = {
        t.written: t.key
        for t in tokens(candidate.about, language)
        if t.is_cjk or t.written[:1].isupper()
    }
    if language != "de":
        names |= {
            t.written: t.key
            for t in tokens(candidate.text, language)
            if t.start > 0 and t.written[:1].isupper() and fold(t.written) not in CALENDAR
        }
    return tuple(written for written, key in names.items() if not _is_held(key, spoken))
