"""Segment, describe, recall, predict, calibrate, ground, flag, gate, propose.

One run per episode and subject. State is in the database: whatever was interrupted goes on where
it stopped, and whatever was done is not done again. Engines and embedders run outside of
transactions. What calls to a model took is stored with the run, also where it failed.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.utils import timezone

from extraction import assembly, recall, segmentation, topics, working
from extraction.embeddings.base import Embedder
from extraction.embeddings.registry import get_embedder
from extraction.engines.base import Engine, EpisodeInput, EpisodeMessage, KnownStatement
from extraction.engines.registry import get_engine
from knowledge.commands import jobs, proposals, sources
from knowledge.models import RunState
from knowledge.queries.known import Known, known_of_subject
from knowledge.queries.processing import (
    OpenConversation,
    ProposingSubject,
    SourceMessage,
    episode_messages,
    episode_title,
    open_conversation,
    topic_so_far,
    unfinished_runs,
    unprocessed_messages,
)
from knowledge.queries.runs import PERSONAL_KINDS
from knowledge.results import WORKER, Lease

log = structlog.get_logger(__name__)

# How long one task works on a conversation before it hands the rest back to the queue.
SLICE_S = 45.0


@dataclass(frozen=True, slots=True)
class Tools:
    """The engine and the embedder a run uses, and whether it looks at what is known."""

    engine: Engine
    embedder: Embedder
    recalls: bool = True


def default_tools() -> Tools:
    """Give the tools this process is set up with."""
    return Tools(engine=get_engine(), embedder=get_embedder())


def process_job(payload: dict[str, Any], held: Lease) -> bool:
    """Process the conversation a job names, for one slice of time.

    **Returns**: whether there is more to do.
    """
    return process_conversation(
        int(payload["conversation_id"]), tools=default_tools(), held=held, slice_s=SLICE_S
    )


def process_conversation(
    conversation_id: int, *, tools: Tools, held: Lease | None = None, slice_s: float = math.inf
) -> bool:
    """Turn unprocessed messages into episodes and run the engine over them.

    After ``slice_s`` seconds it begins no further run, so that no task outlasts its lease.

    **Returns**: whether runs are left for another slice.
    **Raises**: Conflict when another worker took over; EngineError when the engine failed: its
    run then says why, and the next attempt goes on from there.
    """
    ends_at = time.monotonic() + slice_s
    segmented = _open_episodes(conversation_id, engine=tools.engine, ends_at=ends_at, held=held)
    conversation = open_conversation(conversation_id)
    waiting = unfinished_runs(conversation_id)
    for done, (episode_id, subject) in enumerate(waiting):
        if done and time.monotonic() > ends_at:
            return True
        read = Reading(conversation, subject, episode_id, tuple(episode_messages(episode_id)))
        run_episode(read, tools=tools, held=held, beside={} if done else segmented)
        if held is not None:
            jobs.note_progress(
                job_id=held.job_id,
                fence=held.fence,
                progress={"runs_done": done + 1, "runs": len(waiting)},
                now=timezone.now(),
            )
    return False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a run reads: an episode's words, for one subject of their conversation."""

    conversation: OpenConversation
    subject: ProposingSubject
    episode_id: int
    messages: tuple[SourceMessage, ...]

    @property
    def texts(self) -> dict[int, str]:
        """Return the words that are read, by message."""
        return {message.id: message.text for message in self.messages}

    def shown(self, known: Sequence[Known]) -> list[Known]:
        """Pick what of the known the prediction may rest on."""
        said = [row.text for row in self.messages if is_by_subject(row, subject=self.subject)]
        return recall.choose(known, words="\n".join(said))

    def scene(self, known: Sequence[Known], *, shown: list[Known], began: float) -> assembly.Scene:
        """Set the scene for an engine. **Cost**: one query."""
        return assembly.Scene(
            space_id=self.conversation.space_id,
            subject_id=self.subject.id,
            messages=self.messages,
            episode=_episode_input(self, shown=shown),
            known=tuple(known),
            began=began,
        )


def run_episode(
    read: Reading,
    *,
    tools: Tools,
    held: Lease | None = None,
    beside: dict[str, Any] | None = None,
) -> None:
    """Describe, predict, calibrate and propose for one episode and subject.

    Whatever fails on the way is said in the run, with what it took until then. ``beside`` is
    usage that belongs to no run of its own.

    **Raises**: ExtractionError, Conflict.
    """
    began = time.monotonic()
    known = _known(read, tools=tools)
    shown = read.shown(known)
    run = proposals.begin_run(
        episode_id=read.episode_id,
        subject_id=read.subject.id,
        engine=tools.engine.name,
        model=tools.engine.model,
        prompt_version=tools.engine.prompt_version,
        predict_model=predicts_with(tools.engine),
        cold_start=not known,
        shown=[item.ref for item in shown],
        read=read.texts,
        now=timezone.now(),
    )
    if run.state == RunState.DONE:
        return
    with working.metered_run(run.pk, began=began, beside=beside or {}) as meter:
        scene = _described(
            read.scene(known, shown=shown, began=began),
            episode_id=read.episode_id,
            engine=tools.engine,
        )
        outcome = assembly.work_out(scene, engine=tools.engine, embedder=tools.embedder)
        recorded = proposals.record_run(
            run_id=run.pk,
            outcome=working.counted(outcome, meter=meter, beside=beside or {}),
            by=WORKER,
            now=timezone.now(),
            held=held,
        )
    log.info(
        "run_recorded",
        run=run.pk,
        pending=recorded.pending,
        set_aside=recorded.set_aside,
        joined=recorded.joined,
    )


def predicts_with(engine: Engine) -> str:
    """Name the model an engine predicts with, where it is another than the one that extracts."""
    model = str(getattr(engine, "predict_model", ""))
    return "" if model == engine.model else model


def _known(read: Reading, *, tools: Tools) -> list[Known]:
    if not tools.recalls:
        return []
    return known_of_subject(
        space_id=read.conversation.space_id,
        subject_id=read.subject.id,
        valid_at=read.messages[-1].sent_at,
    )


def _described(scene: assembly.Scene, *, episode_id: int, engine: Engine) -> assembly.Scene:
    """Give the episode a title and a narrative, once; the first subject's run does."""
    if scene.episode.title:
        return scene
    description = engine.describe(scene.episode)
    sources.describe_episode(
        episode_id=episode_id, title=description.title, narrative=description.narrative
    )
    return replace(scene, episode=replace(scene.episode, title=description.title))


def _open_episodes(
    conversation_id: int, *, engine: Engine, ends_at: float, held: Lease | None
) -> dict[str, Any]:
    """Cut what waits into episodes; what asking the engine where took, as usage."""
    waiting = unprocessed_messages(conversation_id)
    if not waiting:
        return {}
    before = topic_so_far(conversation_id, most=segmentation.CONTEXT)
    heard = topics.heard([*before, *waiting], before=len(before), engine=engine, ends_at=ends_at)
    parts = segmentation.parts(_to_segment(waiting), before=_to_segment(before), heard=heard.begins)
    segments = [[int(key) for key in part.ids] for part in parts]
    sources.open_episodes(
        conversation_id=conversation_id,
        segments=segments,
        continuing=[ids[0] for ids, part in zip(segments, parts, strict=True) if part.goes_on],
        now=timezone.now(),
        held=held,
    )
    return {"segmentation": heard.meter.usage()} if heard.meter.calls else {}


def _to_segment(messages: list[SourceMessage]) -> list[segmentation.SegmentMessage]:
    return [
        segmentation.SegmentMessage(
            id=message.id, sent_at=message.sent_at, text=message.text, kind=message.kind
        )
        for message in messages
    ]


def _episode_input(read: Reading, *, shown: list[Known]) -> EpisodeInput:
    return EpisodeInput(
        subject_name=read.subject.name,
        subject_kind=read.subject.kind,
        zone=read.conversation.zone,
        messages=tuple(
            EpisodeMessage(
                index=index,
                kind=message.kind,
                speaker=message.speaker_name,
                by_subject=is_by_subject(message, subject=read.subject),
                text=message.text,
                sent_at=message.sent_at,
            )
            for index, message in enumerate(read.messages)
        ),
        known=tuple(
            KnownStatement(
                ref=item.ref,
                text=item.text,
                attribute=item.attribute,
                value=item.value,
                waiting=item.waiting,
                valid_from=item.valid_from,
            )
            for item in shown
        ),
        title=episode_title(read.episode_id),
    )


def is_by_subject(message: SourceMessage, *, subject: ProposingSubject) -> bool:
    """Say whether the words count as the subject's own.

    A person's are theirs alone; a project's or a team's are those of the people who speak.
    """
    if message.kind not in PERSONAL_KINDS:
        return False
    return message.speaker_id == subject.id or (
        subject.kind != "user" and message.speaker_id is None
    )
