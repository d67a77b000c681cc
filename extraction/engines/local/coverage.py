"""What the prediction held, and what it did not: outcomes, gaps and covered words."""

import re
from collections.abc import Sequence

from extraction.engines.base import (
    CoveredSpan,
    EpisodeMessage,
    GapSpan,
    KnownStatement,
    Outcome,
    Prediction,
)
from extraction.engines.local import relating
from extraction.engines.local.drafts import Draft, Place
from extraction.engines.local.relating import Relation
from extraction.similarity import content_words, equal_words, guards_agree, is_clause_of

_COVERS = 0.99  # every content word of the sentence
_TOUCHES = 0.45
_ALIKE = 0.75
_MENTIONED = 0.5
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def held_by(draft: Draft, predictions: Sequence[Prediction]) -> tuple[int | None, float]:
    """Find the prediction that holds most of a draft's words, and how many.

    **Units**: the share of the draft's distinct content words, 0..1.
    """
    words = set(content_words(draft.text, draft.language))
    best: tuple[int | None, float] = (None, 0.0)
    for number, prediction in enumerate(predictions):
        share = (
            len(words & set(content_words(prediction.text, draft.language))) / len(words)
            if words
            else 0.0
        )
        if share > best[1]:
            best = (number, share)
    return best


def is_covered(draft: Draft, predictions: Sequence[Prediction]) -> int | None:
    """Name the prediction that already said all of a draft, or None."""
    number, share = held_by(draft, predictions)
    if number is None or share < _COVERS or draft.modality not in {"asserted", "negated"}:
        return None
    predicted = predictions[number].text
    if equal_words(draft.text, predicted) or is_clause_of(draft.text, predicted):
        return number
    # "has Fridays off" shares its few words with "works from home on Fridays", and not its sense.
    is_alike = relating.overlap(draft.text, predicted) >= _ALIKE
    return number if is_alike and guards_agree(draft.text, predicted) else None


def gap_of(
    draft: Draft, relation: Relation, predictions: Sequence[Prediction], *, message: EpisodeMessage
) -> GapSpan:
    """Mark the words of a draft that the prediction did not hold."""
    number, share = held_by(draft, predictions)
    if relation.target is not None:
        number = next(
            (i for i, p in enumerate(predictions) if relation.target in p.rests_on), number
        )
    start, end = draft.place.start, draft.place.end
    if relation.kind in {"update", "contradiction"}:
        return GapSpan(draft.place.message, start, end, "contradicts", number)
    if number is None or (share < _TOUCHES and relation.target is None):
        return GapSpan(draft.place.message, start, end, "unpredicted", None)
    start, end = _uncovered(message.text, draft, predictions[number].text)
    return GapSpan(draft.place.message, start, end, "refines", number)


def _uncovered(text: str, draft: Draft, predicted: str) -> tuple[int, int]:
    """From the first to the last word of the sentence that the prediction lacks."""
    expected = set(content_words(predicted, draft.language))
    missing = [
        (draft.place.start + match.start(), draft.place.start + match.end())
        for match in _WORD.finditer(text[draft.place.start : draft.place.end])
        if set(content_words(match.group(), draft.language)) - expected
    ]
    return (missing[0][0], missing[-1][1]) if missing else (draft.place.start, draft.place.end)


def gap_left(place: Place) -> GapSpan:
    """Mark telling words that became nothing."""
    return GapSpan(place.message, place.start, place.end, "unpredicted", None)


def covered(draft: Draft, number: int) -> CoveredSpan:
    """Mark the words of a draft that a prediction had already said."""
    return CoveredSpan(draft.place.message, draft.place.start, draft.place.end, number)


def outcome(
    prediction: Prediction,
    related: Sequence[tuple[Draft, Relation]],
    covered_spans: Sequence[CoveredSpan],
    *,
    number: int,
) -> Outcome:
    """Say what became of a prediction: said otherwise outranks confirmed."""
    refs = set(prediction.rests_on)
    kinds = {
        relation.kind
        for _draft, relation in related
        if relation.target in refs and relation.target is not None
    }
    if kinds & {"update", "contradiction"}:
        return "said_otherwise"
    if "confirmation" in kinds or any(span.prediction == number for span in covered_spans):
        return "confirmed"
    if any(_says_it(draft, prediction) for draft, _relation in related):
        return "confirmed"
    return "not_mentioned"


def _says_it(draft: Draft, prediction: Prediction) -> bool:
    wanted = set(content_words(prediction.text, draft.language))
    held = set(content_words(draft.text, draft.language))
    if not wanted or not wanted <= held:
        return False
    is_alike = relating.overlap(draft.text, prediction.text) >= _MENTIONED
    return is_alike and guards_agree(draft.text, prediction.text)


def is_relevant(entry: KnownStatement, topic: set[str]) -> int:
    """Count the words a known statement shares with an episode's topic."""
    return len(set(content_words(entry.text)) & topic)
