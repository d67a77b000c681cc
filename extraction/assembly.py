"""What an engine answered becomes what a run writes: grounded, flagged, gated, placed.

Pure but for three reads: the texts nearest to each candidate, who holds its attribute, and what
agents were served of the subject just before.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from extraction.echoes import without_echoes
from extraction.embeddings.base import Embedder
from extraction.engines.base import (
    Calibration,
    Candidate,
    Engine,
    EpisodeInput,
    GapSpan,
    Prediction,
)
from extraction.errors import TextRefused
from extraction.grounding import Grounded, ground
from extraction.judging import Judge, Judgement
from extraction.similarity import surprise
from knowledge.queries.known import Known, NearText, near_texts, was_believed_once
from knowledge.queries.processing import SourceMessage
from knowledge.queries.served import recently_served
from knowledge.results import (
    EvidenceDraft,
    PredictionDraft,
    ProposalDraft,
    RunOutcome,
    SpanDraft,
)

ABOUT_LENGTH = 200
VALUE_LENGTH = 500
ATTRIBUTE_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Scene:
    """One episode of one subject, with all that is known. ``began`` is a monotonic second.

    **Shape**: ``near`` and ``ended`` look up what is like a candidate, and whether its value was
    believed once: as things stand, or as they stood when another run read the same words.
    """

    space_id: int
    subject_id: int
    messages: tuple[SourceMessage, ...]
    episode: EpisodeInput
    known: tuple[Known, ...]
    began: float
    near: Callable[..., Sequence[NearText]] = near_texts
    ended: Callable[..., bool] = was_believed_once


def work_out(scene: Scene, *, engine: Engine, embedder: Embedder) -> RunOutcome:
    """Predict, calibrate and judge an episode.

    **Raises**: EngineError.
    """
    predictions = engine.predict(scene.episode)
    calibration = engine.calibrate(scene.episode, predictions)
    vectors = _vectors(calibration.candidates, embedder=embedder)
    drafts = _drafts(
        scene, calibration, predictions=predictions, vectors=vectors, engine=engine,
        embedder=embedder,
    )  # fmt: skip
    return RunOutcome(
        predictions=tuple(
            PredictionDraft(item.text, item.rests_on, outcome)
            for item, outcome in zip(predictions, calibration.outcomes, strict=True)
        ),
        gaps=tuple(_gap(scene, gap) for gap in calibration.gaps),
        covered=tuple(
            SpanDraft(scene.messages[span.message].id, span.start, span.end, "", span.prediction)
            for span in calibration.covered
        ),
        drafts=tuple(drafts),
        usage=calibration.usage,
        duration_ms=round(1000 * (time.monotonic() - scene.began)),
        embedder=embedder.model_id,
    )


def _vectors(
    candidates: Sequence[Candidate], *, embedder: Embedder
) -> list[tuple[float, ...] | None]:
    """Embed the candidates; None for one of which the embedder makes no vector.

    It spoils no other: its words alone are compared.
    """
    if not candidates:
        return []
    texts = [candidate.text for candidate in candidates]
    try:
        return [tuple(vector) for vector in embedder.embed_passages(texts)]
    except TextRefused:
        return [_vector(text, embedder=embedder) for text in texts]


def _vector(text: str, *, embedder: Embedder) -> tuple[float, ...] | None:
    try:
        return tuple(embedder.embed_passages([text])[0])
    except TextRefused:
        return None


def _drafts(
    scene: Scene,
    calibration: Calibration,
    *,
    predictions: Sequence[Prediction],
    vectors: Sequence[tuple[float, ...] | None],
    engine: Engine,
    embedder: Embedder,
) -> list[ProposalDraft]:
    said = [message.sent_at for message in scene.messages]
    served = recently_served(
        space_id=scene.space_id, subject_id=scene.subject_id, since=min(said), until=max(said)
    )
    judge = Judge(
        space_id=scene.space_id,
        subject_id=scene.subject_id,
        episode=scene.episode,
        message_ids=tuple(message.id for message in scene.messages),
        known=scene.known,
        embedder=embedder,
        confidence_floor=engine.confidence_floor,
        served=served,
        near=scene.near,
        ended=scene.ended,
    )
    judge.look_ahead(calibration.candidates)
    drafts: list[ProposalDraft] = []
    expected = [prediction.text for prediction in predictions]
    known = [item.text for item in scene.episode.known]
    for candidate, vector in zip(calibration.candidates, vectors, strict=True):
        grounded = ground(
            candidate,
            scene.episode.messages,
            subject_name=scene.episode.subject_name,
            zone=scene.episode.zone,
            context=known,
        )
        grounded = without_echoes(grounded, scene.episode.messages, served=served)
        judgement = judge.judge(candidate, grounded=grounded, vector=vector)
        drafts.append(
            _draft(
                scene,
                candidate,
                grounded=grounded,
                judgement=judgement,
                expected=expected,
                gaps=_gaps_of(grounded, calibration.gaps),
                vector=vector,
            )
        )
    return drafts


def _draft(
    scene: Scene,
    candidate: Candidate,
    *,
    grounded: Grounded,
    judgement: Judgement,
    expected: Sequence[str],
    gaps: tuple[int, ...],
    vector: tuple[float, ...] | None,
) -> ProposalDraft:
    said_at = _first_said(scene, grounded)
    # Whose memory it is was never in question: the name is no news.
    predicate = candidate.text.replace(scene.episode.subject_name, "")
    degree, words = surprise(predicate, expected, language=candidate.language)
    return ProposalDraft(
        text=candidate.text,
        about=(candidate.about or scene.episode.subject_name)[:ABOUT_LENGTH],
        evidence=tuple(
            EvidenceDraft(
                scene.messages[span.message].id, span.start, span.end, span.quote, span.role
            )
            for span in grounded.evidence
        ),
        valid_from=candidate.valid_from or said_at,
        valid_to=_end_after(candidate, start=candidate.valid_from or said_at),
        start_basis=candidate.start_basis if candidate.valid_from else "said",
        date_phrase=candidate.date_phrase[:200],
        confidence=min(1.0, max(0.0, candidate.confidence)),
        surprise=degree,
        unexpected=tuple(word[:200] for word in words),
        memory_type=candidate.memory_type,
        criticality=candidate.criticality,
        attribute=candidate.attribute[:ATTRIBUTE_LENGTH],
        value=candidate.value[:VALUE_LENGTH],
        language=candidate.language,
        modality=candidate.modality,
        kind=judgement.kind,
        target_id=judgement.target_id,
        waits_on=judgement.waits_on,
        waits_on_draft=judgement.waits_on_draft,
        reason=judgement.reason,
        flags=judgement.flags,
        aside_reason=judgement.aside_reason,
        joined_to=judgement.joined_to,
        joins=judgement.joins,
        rejected_as=judgement.rejected_as,
        gaps=gaps,
        vector=vector,
    )


def _gap(scene: Scene, gap: GapSpan) -> SpanDraft:
    message_id = scene.messages[gap.message].id
    return SpanDraft(message_id, gap.start, gap.end, gap.kind, gap.prediction)


def _gaps_of(grounded: Grounded, gaps: Sequence[GapSpan]) -> tuple[int, ...]:
    """The gaps a candidate was made from: those its quotes overlap."""
    return tuple(
        place
        for place, gap in enumerate(gaps)
        if any(
            gap.message == span.message and gap.start < span.end and span.start < gap.end
            for span in grounded.evidence
        )
    )


def _first_said(scene: Scene, grounded: Grounded) -> datetime:
    said = [scene.messages[span.message].sent_at for span in grounded.evidence]
    return min(said) if said else scene.messages[-1].sent_at


def _end_after(candidate: Candidate, *, start: datetime) -> datetime | None:
    """An engine's end before the start is no period: the end is dropped, the words stay."""
    if candidate.valid_to is None or candidate.valid_to <= start:
        return None
    return candidate.valid_to
