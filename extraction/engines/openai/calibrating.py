"""From a model's answer to a calibration: each claim held to what the model was shown.

One candidate that points nowhere spoils no other: what it names that was not shown is left out,
what it quotes that nobody said stays and is set aside by grounding, for all to see.
"""

import re
from collections.abc import Sequence

from extraction.engines.base import (
    Calibration,
    Candidate,
    CoveredSpan,
    EpisodeInput,
    GapKind,
    GapSpan,
    Outcome,
    Prediction,
    Quote,
)
from extraction.engines.openai import spans
from extraction.engines.openai.answers import (
    CalibrateAnswer,
    CandidateAnswer,
    ColdCandidateAnswer,
    ColdStartAnswer,
    EvidenceAnswer,
    OutcomeAnswer,
)
from extraction.engines.openai.dating import UNRESOLVED, Period, is_relative, period_of
from extraction.engines.openai.spans import Place
from extraction.languages import guess_language

_REPLACING = ("update", "contradiction")


def from_cold_start(answer: ColdStartAnswer, *, episode: EpisodeInput) -> Calibration:
    """Turn what was found of somebody unknown into candidates and gaps."""
    gaps = _gaps(answer.candidates, episode=episode, predictions=())
    return Calibration(
        outcomes=(),
        candidates=tuple(_candidate(one, episode=episode) for one in answer.candidates),
        gaps=_with_left_over(gaps, covered=(), episode=episode),
    )


def from_calibration(
    answer: CalibrateAnswer, *, episode: EpisodeInput, predictions: Sequence[Prediction]
) -> Calibration:
    """Turn outcomes and candidates into a calibration whose spans stand in the words.

    **Shape**: an outcome needs words of the subject; without any it was not mentioned. Words a
    candidate rests on are a gap and never covered.
    """
    gaps = _gaps(answer.candidates, episode=episode, predictions=predictions)
    met = _met(answer.outcomes, episode=episode, count=len(predictions))
    covered = _covered(met, gaps=gaps)
    return Calibration(
        outcomes=tuple(met[n][0] if n in met else "not_mentioned" for n in range(len(predictions))),
        candidates=tuple(_candidate(one, episode=episode) for one in answer.candidates),
        gaps=_with_left_over(gaps, covered=covered, episode=episode),
        covered=covered,
    )


def _candidate(answer: ColdCandidateAnswer, *, episode: EpisodeInput) -> Candidate:
    evidence = tuple(_quote(one, episode=episode) for one in answer.evidence)
    quoted = {quote.message for quote in evidence}
    period = period_of(
        answer, [m for m in episode.messages if m.index in quoted], zone=episode.zone
    )
    is_related = answer.kind != "new" and answer.target in {entry.ref for entry in episode.known}
    return Candidate(
        text=answer.text,
        evidence=evidence,
        confidence=answer.confidence,
        kind=answer.kind if is_related else "new",
        target=answer.target if is_related else None,
        reason=answer.reason,
        valid_from=period.valid_from,
        valid_to=period.valid_to,
        start_basis="stated" if period.valid_from else "said",
        date_phrase=period.phrase,
        memory_type=answer.memory_type,
        criticality=answer.criticality,
        attribute=answer.attribute if answer.value else "",
        value=answer.value if answer.attribute else "",
        about=answer.about,
        language=_language(answer),
        modality=answer.modality,
        notes=_notes(answer, period=period, episode=episode),
    )


# What stands for somebody, or something, that a statement read alone does not name.
_PRONOUN_FIRST = re.compile(r"\W*(?:I|he|she|it|they|we|this|that|these|those)\b", re.IGNORECASE)


def _notes(
    answer: ColdCandidateAnswer, *, period: Period, episode: EpisodeInput
) -> tuple[str, ...]:
    """Flag what the model was told not to write and wrote all the same."""
    notes = list(period.notes)
    if _PRONOUN_FIRST.match(answer.text):
        notes.append("unresolved_pronoun")
    said_at = episode.messages[-1].sent_at
    if is_relative(answer.text, said_at=said_at, zone=episode.zone):
        notes.append(UNRESOLVED)
    return tuple(dict.fromkeys(notes))


def _language(answer: ColdCandidateAnswer) -> str:
    """Take a language code for what it is; a word such as "English" says nothing."""
    code = answer.language.replace("_", "-").partition("-")[0].lower()
    is_code = len(code) in {2, 3} and code.isascii() and code.isalpha()
    return code if is_code else guess_language(answer.text)


def _quote(answer: EvidenceAnswer, *, episode: EpisodeInput) -> Quote:
    """Lead a quote to the message that holds it; what stands nowhere keeps its claim."""
    place = spans.find(answer.message, answer.quote, messages=episode.messages)
    return Quote(place.message if place else answer.message, answer.quote, answer.role)


def _gaps(
    candidates: Sequence[ColdCandidateAnswer],
    *,
    episode: EpisodeInput,
    predictions: Sequence[Prediction],
) -> dict[Place, GapSpan]:
    """Mark the words each candidate rests on; the first candidate names what they are."""
    gaps: dict[Place, GapSpan] = {}
    for candidate in candidates:
        number = _departs_from(candidate, predictions)
        for quote in candidate.evidence:
            place = spans.find(quote.message, quote.quote, messages=episode.messages)
            if place is None or quote.role == "dates" or place in gaps:
                continue
            gaps[place] = GapSpan(
                message=place.message,
                start=place.start,
                end=place.end,
                kind=_gap_kind(candidate, number),
                prediction=number,
            )
    return gaps


def _departs_from(candidate: ColdCandidateAnswer, predictions: Sequence[Prediction]) -> int | None:
    """Name the prediction a candidate makes more exact or contradicts."""
    said = candidate.prediction if isinstance(candidate, CandidateAnswer) else None
    if said is not None and 0 <= said < len(predictions):
        return said
    if candidate.target is None:
        return None
    resting = (n for n, one in enumerate(predictions) if candidate.target in one.rests_on)
    return next(resting, None)


def _gap_kind(candidate: ColdCandidateAnswer, prediction: int | None) -> GapKind:
    if prediction is None:
        return "unpredicted"
    return "contradicts" if candidate.kind in _REPLACING else "refines"


def _met(
    outcomes: Sequence[OutcomeAnswer], *, episode: EpisodeInput, count: int
) -> dict[int, tuple[Outcome, tuple[Place, ...]]]:
    """Keep the outcomes of predictions there are that the subject's own words bear out."""
    own = [message for message in episode.messages if message.by_subject]
    met: dict[int, tuple[Outcome, tuple[Place, ...]]] = {}
    for one in outcomes:
        if not 0 <= one.prediction < count or one.prediction in met:
            continue
        found = (spans.find(q.message, q.quote, messages=own) for q in one.quotes)
        places = tuple(dict.fromkeys(place for place in found if place is not None))
        if places and one.outcome != "not_mentioned":
            met[one.prediction] = (one.outcome, places)
    return met


def _covered(
    met: dict[int, tuple[Outcome, tuple[Place, ...]]], *, gaps: dict[Place, GapSpan]
) -> tuple[CoveredSpan, ...]:
    """List the words that confirmed predictions cover and no candidate rests on."""
    taken = list(gaps)
    covered: list[CoveredSpan] = []
    for number, (outcome, places) in sorted(met.items()):
        for place in places:
            if outcome == "confirmed" and not any(place.meets(other) for other in taken):
                covered.append(CoveredSpan(place.message, place.start, place.end, number))
                taken.append(place)
    return tuple(covered)


def _with_left_over(
    gaps: dict[Place, GapSpan], *, covered: Sequence[CoveredSpan], episode: EpisodeInput
) -> tuple[GapSpan, ...]:
    """Add the sentences of the subject that became nothing, so that none goes unseen."""
    taken = [*gaps, *(Place(span.message, span.start, span.end) for span in covered)]
    left = spans.left_over(episode.messages, taken=taken)
    nothing = [GapSpan(one.message, one.start, one.end, "unpredicted") for one in left]
    every = (*gaps.values(), *nothing)
    return tuple(sorted(every, key=lambda gap: (gap.message, gap.start, gap.end)))
