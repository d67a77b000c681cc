"""Segment, describe, recall, predict, calibrate, ground, flag, gate, propose.

One run per episode and subject. State is in the database: whatever was interrupted goes on where
it stopped, and whatever was done is not done again. Engines and embedders run outside of
transactions.
"""

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.utils import timezone

from extraction import assembly, recall, segmentation
from extraction.embeddings.base import Embedder
from extraction.embeddings.registry import get_embedder
from extraction.engines.base import Engine, EpisodeInput, EpisodeMessage, KnownStatement
from extraction.engines.registry import get_engine
from extraction.errors import EngineError
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
from knowledge.results import WORKER, Lease

log = structlog.get_logger(__name__)

# Kinds a person speaks in; anything else is never the subject's own words.
PERSONAL_KINDS = frozenset({"user_message", "user_feedback"})
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
    _open_episodes(conversation_id, held=held)
    conversation = open_conversation(conversation_id)
    engine = tools.engine
    waiting = unfinished_runs(
        conversation_id,
        engine=engine.name,
        model=engine.model,
        prompt_version=engine.prompt_version,
    )
    for done, (episode_id, subject) in enumerate(waiting):
        if done and time.monotonic() > ends_at:
            return True
        run_episode(episode_id, conversation=conversation, subject=subject, tools=tools, held=held)
        if held is not None:
            jobs.note_progress(
                job_id=held.job_id,
                fence=held.fence,
                progress={"runs_done": done + 1, "runs": len(waiting)},
                now=timezone.now(),
            )
    return False


def run_episode(
    episode_id: int,
    *,
    conversation: OpenConversation,
    subject: ProposingSubject,
    tools: Tools,
    held: Lease | None = None,
) -> None:
    """Predict, calibrate and propose for one episode and subject.

    **Raises**: EngineError, Conflict.
    """
    began = time.monotonic()
    messages = episode_messages(episode_id)
    known = _known(messages, subject=subject, space_id=conversation.space_id, tools=tools)
    shown = recall.choose(known, words=_words_of(messages, subject=subject))
    episode = _episode_input(
        messages, conversation=conversation, subject=subject, shown=shown, episode_id=episode_id
    )
    episode = _described(episode, episode_id=episode_id, engine=tools.engine)
    run = proposals.begin_run(
        episode_id=episode_id,
        subject_id=subject.id,
        engine=tools.engine.name,
        model=tools.engine.model,
        prompt_version=tools.engine.prompt_version,
        cold_start=not known,
        shown=[item.ref for item in shown],
        read={message.id: message.text for message in messages},
        now=timezone.now(),
    )
    if run.state == RunState.DONE:
        return
    scene = assembly.Scene(
        space_id=conversation.space_id,
        subject_id=subject.id,
        messages=tuple(messages),
        episode=episode,
        known=tuple(known),
        began=began,
    )
    try:
        outcome = assembly.work_out(scene, engine=tools.engine, embedder=tools.embedder)
    except EngineError as error:
        proposals.fail_run(run_id=run.pk, error=str(error))
        raise
    recorded = proposals.record_run(
        run_id=run.pk, outcome=outcome, by=WORKER, now=timezone.now(), held=held
    )
    log.info(
        "run_recorded",
        run=run.pk,
        pending=recorded.pending,
        set_aside=recorded.set_aside,
        joined=recorded.joined,
    )


def _known(
    messages: list[SourceMessage], *, subject: ProposingSubject, space_id: int, tools: Tools
) -> list[Known]:
    if not tools.recalls:
        return []
    return known_of_subject(space_id=space_id, subject_id=subject.id, valid_at=messages[-1].sent_at)


def _described(episode: EpisodeInput, *, episode_id: int, engine: Engine) -> EpisodeInput:
    """Give the episode a title and a narrative, once; the first subject's run does."""
    if episode.title:
        return episode
    description = engine.describe(episode)
    sources.describe_episode(
        episode_id=episode_id, title=description.title, narrative=description.narrative
    )
    return replace(episode, title=description.title)


def _open_episodes(conversation_id: int, *, held: Lease | None) -> None:
    waiting = unprocessed_messages(conversation_id)
    if not waiting:
        return
    parts = segmentation.parts(
        _to_segment(waiting),
        before=_to_segment(topic_so_far(conversation_id, most=segmentation.CONTEXT)),
    )
    segments = [[int(key) for key in part.ids] for part in parts]
    sources.open_episodes(
        conversation_id=conversation_id,
        segments=segments,
        continuing=[ids[0] for ids, part in zip(segments, parts, strict=True) if part.goes_on],
        now=timezone.now(),
        held=held,
    )


def _to_segment(messages: list[SourceMessage]) -> list[segmentation.SegmentMessage]:
    return [
        segmentation.SegmentMessage(
            id=message.id, sent_at=message.sent_at, text=message.text, kind=message.kind
        )
        for message in messages
    ]


def _episode_input(
    messages: list[SourceMessage],
    *,
    conversation: OpenConversation,
    subject: ProposingSubject,
    shown: list[Known],
    episode_id: int,
) -> EpisodeInput:
    return EpisodeInput(
        subject_name=subject.name,
        subject_kind=subject.kind,
        zone=conversation.zone,
        messages=tuple(
            EpisodeMessage(
                index=index,
                kind=message.kind,
                speaker=message.speaker_name,
                by_subject=is_by_subject(message, subject=subject),
                text=message.text,
                sent_at=message.sent_at,
            )
            for index, message in enumerate(messages)
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
        title=episode_title(episode_id),
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


def _words_of(messages: list[SourceMessage], *, subject: ProposingSubject) -> str:
    return "\n".join(
        message.text for message in messages if is_by_subject(message, subject=subject)
    )
