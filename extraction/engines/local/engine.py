"""The four calls of the local engine, put together from its parts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from extraction.engines.base import (
    Calibration,
    Candidate,
    CoveredSpan,
    Description,
    EpisodeInput,
    EpisodeMessage,
    GapSpan,
    KnownStatement,
    Prediction,
    Quote,
)
from extraction.engines.local import answers, coverage, dating, drafts, recap, relating
from extraction.engines.local.drafts import Draft, Place, Scene
from extraction.engines.local.relating import Relation
from extraction.similarity import content_words, equal_words, guards_agree

MAX_PREDICTIONS = 10
_SAME = 0.8


@dataclass(frozen=True, slots=True)
class _Found:
    drafts: tuple[Draft, ...]
    left: tuple[Place, ...]


class LocalEngine:
    """Proposes what people said about themselves and their world, without a language model.

    Deterministic: the same episode gives the same answer. Its confidence orders a queue and only
    weakly tracks quality.
    """

    name = "local"
    model = "rules-en"
    # Raised whenever the rules may answer otherwise; a test holds it to their code.
    prompt_version = "2"
    confidence_floor = 0.2

    def describe(self, episode: EpisodeInput) -> Description:
        """Title an episode and name what it is about, for finding it again."""
        return recap.describe(episode, _find(episode).drafts)

    def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
        """Expect what is known to be said again, the most relevant first."""
        topic = set(content_words(episode.title)) | set(recap.topic_weights(episode))
        ranked = sorted(
            enumerate(episode.known),
            key=lambda pair: (-coverage.is_relevant(pair[1], topic), pair[0]),
        )
        return tuple(
            Prediction(text=entry.text, rests_on=(entry.ref,))
            for _place, entry in ranked[:MAX_PREDICTIONS]
        )

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        """Compare the words with the predictions and propose the difference.

        **Shape**: a sentence that a prediction on an approved statement said whole is covered and
        proposes nothing; one that repeats a waiting proposal comes back as its confirmation.
        """
        found = _find(episode)
        related = [
            (d, relating.relate(d, episode.known, subject=episode.subject_name))
            for d in found.drafts
        ]
        waiting = {entry.ref for entry in episode.known if entry.waiting}
        kept: list[tuple[Draft, Relation]] = []
        spans: list[CoveredSpan] = []
        for draft, relation in related:
            number = coverage.is_covered(draft, predictions)
            if (
                number is None
                or relation.target in waiting
                or relation.kind in {"update", "contradiction"}
            ):
                kept.append((draft, relation))
            else:
                spans.append(coverage.covered(draft, number))
        outcomes = tuple(
            coverage.outcome(prediction, kept, spans, number=number)
            for number, prediction in enumerate(predictions)
        )
        return Calibration(
            outcomes=outcomes,
            candidates=tuple(_candidate(draft, relation) for draft, relation in kept),
            gaps=_gaps(episode, predictions, kept=kept, left=found.left),
            covered=tuple(spans),
            usage={"sentences": len(found.drafts) + len(found.left), "candidates": len(kept)},
        )

    def judge_same(self, left: str, right: str) -> bool:
        """Say whether two statements say the same, guards included."""
        if equal_words(left, right):
            return True
        return relating.overlap(left, right) >= _SAME and guards_agree(left, right)


def _find(episode: EpisodeInput) -> _Found:
    """Every statement of the subject's own messages, in the order they were said."""
    scene = drafts.scene_of(episode)
    found: list[Draft] = []
    left: list[Place] = []
    before: EpisodeMessage | None = None
    for message in episode.messages:
        if drafts.is_own_message(message):
            own, unused = _of_message(scene, message, before)
            found.extend(dating.dated(draft, message, zone=episode.zone) for draft in own)
            left.extend(unused)
        if answers.talks(message):
            before = message
    kept, withdrawn = _without_corrected(found, subject=episode.subject_name)
    return _Found(drafts=_without_repeats(kept), left=(*left, *withdrawn))


def _without_corrected(found: Sequence[Draft], *, subject: str) -> tuple[list[Draft], list[Place]]:
    """Leave out what the speaker took back in the same episode; its words stay a gap.

    "It is the pump" and then "Actually it was not the pump, it is the valve": the valve remains.
    """
    wrong: set[int] = set()
    for place, draft in enumerate(found):
        if not relating.is_correction(draft):
            continue
        earlier = [
            KnownStatement(ref=str(number), text=other.text)
            for number, other in enumerate(found[:place])
            if other.place.message <= draft.place.message
        ]
        relation = relating.relate(draft, earlier, subject=subject)
        if relation.target is not None and relation.kind in {"update", "contradiction"}:
            wrong.add(int(relation.target))
    kept = [draft for number, draft in enumerate(found) if number not in wrong]
    return kept, [found[number].place for number in sorted(wrong)]


def _of_message(
    scene: Scene, message: EpisodeMessage, before: EpisodeMessage | None
) -> tuple[list[Draft], list[Place]]:
    own, left = drafts.of_message(scene, message)
    answer = answers.of_message(scene, message, before)
    if answer is None:
        pointed = answers.pointing(scene, message, before)
        if pointed is None or any(_overlap(draft.place, pointed.place) for draft in own):
            return own, left
        own, left = [pointed, *own], [p for p in left if not _overlap(p, pointed.place)]
        return own, left
    own = [draft for draft in own if not _overlap(draft.place, answer.place)]
    return [answer, *own], [place for place in left if not _overlap(place, answer.place)]


def _overlap(a: Place, b: Place) -> bool:
    return a.message == b.message and a.start < b.end and b.start < a.end


def _without_repeats(found: Sequence[Draft]) -> tuple[Draft, ...]:
    """The first of two equal statements, with the words of both as its evidence."""
    kept: list[Draft] = []
    for draft in found:
        twin = next(
            (i for i, other in enumerate(kept) if equal_words(other.text, draft.text)), None
        )
        if twin is None:
            kept.append(draft)
        else:
            support = (*kept[twin].support, (draft.place.message, draft.quote))
            kept[twin] = replace(kept[twin], support=support)
    return tuple(kept)


def _candidate(draft: Draft, relation: Relation) -> Candidate:
    own = Quote(message=draft.place.message, quote=draft.quote)
    support = tuple(Quote(message=message, quote=quote) for message, quote in draft.support)
    return Candidate(
        text=draft.text,
        evidence=(own, *support),
        confidence=draft.confidence,
        kind=relation.kind,
        target=relation.target,
        reason=relation.reason,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        start_basis="stated" if draft.valid_from else "said",
        date_phrase=draft.date_phrase,
        memory_type=draft.memory_type,
        criticality=draft.criticality,
        attribute=draft.setting.attribute,
        value=draft.setting.value,
        about=draft.about,
        language=draft.language,
        modality=draft.modality,
        notes=draft.notes,
    )


def _gaps(
    episode: EpisodeInput,
    predictions: tuple[Prediction, ...],
    *,
    kept: Sequence[tuple[Draft, Relation]],
    left: Sequence[Place],
) -> tuple[GapSpan, ...]:
    by_index = {message.index: message for message in episode.messages}
    gaps = [
        coverage.gap_of(draft, relation, predictions, message=by_index[draft.place.message])
        for draft, relation in kept
    ]
    gaps.extend(coverage.gap_left(place) for place in left)
    return tuple(sorted(gaps, key=lambda gap: (gap.message, gap.start, gap.end)))
