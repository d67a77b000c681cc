"""When a statement holds: the dates of its words, written out and turned into a period."""

import re
from collections.abc import Sequence
from dataclasses import replace

from extraction import dates
from extraction.engines.base import EpisodeMessage
from extraction.engines.local.drafts import Draft


def dated(draft: Draft, message: EpisodeMessage, *, zone: str) -> Draft:
    """Resolve a draft's date words on the time its message was sent.

    **Shape**: the text with relative dates written out, and the period the words state. Nothing
    is guessed: an unresolved or ambiguous phrase stays and is noted, as is a day still ahead.
    """
    found = dates.find_dates(
        draft.quote, reference=message.sent_at, zone=zone, language=draft.language
    )
    if not found:
        return draft
    is_english = draft.language == "en"
    told = [f for f in found if f.resolved and not f.ambiguous]
    start = next((f for f in told if f.starts_at is not None and _begins(f, draft)), None)
    end = next((f for f in told if f.ends_at is not None and not _was_reached(f, draft)), None)
    valid_from = start.starts_at if start else None
    valid_to = end.ends_at if end else None
    if valid_from and valid_to and valid_from >= valid_to:
        valid_from = valid_to = None
    return replace(
        draft,
        text=_as_subject(dates.absolute_text(draft.text, found, zone))
        if is_english
        else draft.text,
        notes=tuple(dict.fromkeys((*draft.notes, *_notes(found)))),
        valid_from=valid_from,
        valid_to=valid_to,
        date_phrase=_phrase(found, start=start, end=end),
    )


def _as_subject(text: str) -> str:
    """Mend "On 9 May 2025 was hard": a date that is what the sentence speaks of."""
    mended = _DATE_AS_SUBJECT.sub(lambda match: match["date"], text)
    mended = re.sub(r"\b(an?|the|my|their|this|at the) (?:on|in) (?=\d)", r"\1 ", mended)
    return mended[:1].upper() + mended[1:]


_DATE_AS_SUBJECT = re.compile(
    r"(?:^|(?<=[.;,] ))(?:on"
    r"|in) (?P<date>(?:the week of )?(?:\d{1,2} )?[A-Z]\w+ \d{4})(?= (?:has|have|had|was"
    r"|is|will)\b)",
    re.IGNORECASE,
)


def _phrase(
    found: Sequence[dates.FoundDate], *, start: dates.FoundDate | None, end: dates.FoundDate | None
) -> str:
    """The words to keep: those that bound the claim, else those that were written out."""
    telling = [f for f in (start, end) if f is not None]
    telling += [f for f in found if f.relative or not f.resolved or f.ambiguous]
    return telling[0].phrase if telling else ""


def _was_reached(found: dates.FoundDate, draft: Draft) -> bool:
    """Whether a date says when something was reached, which then stays.

    **Shape**: "was done by May 13", "secured 3 interviews between April and May".
    """
    before = draft.quote[: found.start]
    if found.phrase.lower().startswith("by "):
        return bool(_REACHED.search(before))
    return found.role == "between" and bool(_GAINED.search(before))


_REACHED = re.compile(
    r"\b(?:reached|hit|achieved|attained|passed|finished|completed|grew|grown|rose|risen|climbed"
    r"|was done|were done|had) (?:[^,.;]|(?<=\d)[,.](?=\d))*$",
    re.IGNORECASE,
)


# What was gained in a span of time is not given back at its end; a job or a stay is over then.
_GAINED = re.compile(
    r"\b(?:reached|achieved|completed|finished|solved|secured|got|received|won|earned|scored|sold"
    r"|published|wrote|read|passed|merged|fixed|raised|saved|lost|gained) (?:\w+ ){0,2}?"
    r"[$\u20ac\u00a3]?\d[^;.]*$",
    re.IGNORECASE,
)


def _begins(found: dates.FoundDate, draft: Draft) -> bool:
    """Whether a date begins the claim: "since May" does, and so does the day of an event.

    In "wants to run a marathon in 2027" the date belongs to the plan, not to the wanting.
    """
    if found.role in {"since", "between"}:
        return True
    return not found.future and not _PLANS.search(draft.text)


def _notes(found: Sequence[dates.FoundDate]) -> list[str]:
    notes = []
    if any((not f.resolved or f.ambiguous) and f.phrase.lower() not in _VAGUE for f in found):
        notes.append("unresolved_date")
    if any(f.future for f in found):
        notes.append("future_date")
    return notes


# These claim no day: there is nothing to resolve, and nothing to warn of.
_VAGUE = frozenset({"recently", "lately"})
_PLANS = re.compile(
    r"\b(?:wants? to|plans? to|planning|hopes? to|going to|will|would like|deadline|due)\b",
    re.IGNORECASE,
)
