"""Reading an episode again for comparison, as the worker does it: other tools, same start."""

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog
from django.utils import timezone

from extraction import arms, assembly, working
from extraction.embeddings.registry import get_embedder
from extraction.engines.registry import LOCAL, OPENAI, default_name, get_engine
from extraction.errors import BadInput, EngineUnavailable, ExtractionError
from extraction.pipeline import Reading, Tools
from knowledge.commands import shadows
from knowledge.models import Arm, RunState
from knowledge.queries.known_then import known_then, near_then, was_believed_then
from knowledge.queries.processing import episode_messages, open_conversation
from knowledge.queries.shadows import AskedShadow, asked_shadow
from knowledge.results import WORKER, Lease, ShadowArm

log = structlog.get_logger(__name__)

LONGEST_MODEL = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine this installation has. ``predicts_apart``: another model may predict."""

    name: str
    model: str
    predicts_apart: bool


def choices() -> tuple[Choice, ...]:
    """List the engines a run may be repeated with, the one in use first."""
    local = Choice(LOCAL, "", predicts_apart=False)
    if default_name() != OPENAI:
        return (local,)
    return (Choice(OPENAI, get_engine(OPENAI).model, predicts_apart=True), local)


def arm_of(name: str, *, expects: bool = True, predict_model: str = "") -> ShadowArm:
    """Name what is to be run.

    **Raises**: BadInput for an engine there is none of, or a model nothing would be asked of.
    """
    wanted = predict_model.strip()
    if wanted and not expects:
        raise BadInput("With prediction off no model predicts. Leave the model empty.")
    if wanted and name != OPENAI:
        raise BadInput("Only an engine with a language model predicts with another one.")
    if len(wanted) > LONGEST_MODEL:
        raise BadInput(f"A model’s name has at most {LONGEST_MODEL} characters.")
    engine = get_engine(name, predict_model=wanted)
    return ShadowArm(
        engine=engine.name,
        model=engine.model,
        prompt_version=engine.prompt_version,
        predict_model=wanted,
        arm=Arm.PREDICT if expects else Arm.EVERYTHING,
    )


def shadow_job(payload: dict[str, Any], held: Lease) -> bool:
    """Work out a shadow run.

    Where the endpoint does not answer the job is tried again later; any other failure is the
    run's answer. **Returns**: that nothing is left to do.
    **Raises**: EngineUnavailable; Conflict.
    """
    asked = asked_shadow(int(payload["run_id"]))
    if asked is None or asked.is_done:
        return False
    read = _reading(asked)
    if read is None:
        shadows.give_up_shadow(
            run_id=asked.run_id, reason="Its words were erased after it was asked for."
        )
        return False
    try:
        tools = _tools(asked)
    except BadInput as error:
        shadows.give_up_shadow(run_id=asked.run_id, reason=str(error))
        return False
    try:
        run_shadow(asked, read=read, tools=tools, held=held)
    except EngineUnavailable:
        raise
    except ExtractionError as error:
        log.warning("shadow_run_failed", run=asked.run_id, reason=str(error))
    return False


def run_shadow(asked: AskedShadow, *, read: Reading, tools: Tools, held: Lease | None) -> None:
    """Describe, predict and calibrate from what was known then, and keep what comes of it.

    **Raises**: ExtractionError: the run then says why; Conflict.
    """
    began = time.monotonic()
    known = (
        known_then(
            space_id=read.conversation.space_id,
            subject_id=read.subject.id,
            valid_at=read.messages[-1].sent_at,
            known_at=asked.known_at,
        )
        if tools.recalls
        else []
    )
    shown = read.shown(known)
    run = shadows.begin_shadow(
        run_id=asked.run_id,
        cold_start=not known,
        shown=[item.ref for item in shown],
        read=read.texts,
        now=timezone.now(),
    )
    if run.state == RunState.DONE:
        return
    with working.metered_run(run.pk, began=began, beside={}) as meter:
        scene = _as_then(read.scene(known, shown=shown, began=began), asked=asked)
        scene = _titled(scene, tools=tools)
        outcome = assembly.work_out(scene, engine=tools.engine, embedder=tools.embedder)
        shadows.record_shadow(
            run_id=run.pk,
            outcome=working.counted(outcome, meter=meter, beside={}),
            by=WORKER,
            now=timezone.now(),
            held=held,
        )
    log.info("shadow_run_recorded", run=run.pk)


def _reading(asked: AskedShadow) -> Reading | None:
    """Read the episode again; None where its words, or whose memory it was, are gone."""
    conversation = open_conversation(asked.conversation_id)
    messages = tuple(episode_messages(asked.episode_id))
    subject = next((one for one in conversation.subjects if one.id == asked.subject_id), None)
    if subject is None or not messages:
        return None
    return Reading(conversation, subject, asked.episode_id, messages)


def _tools(asked: AskedShadow) -> Tools:
    """Give the tools that were asked for.

    **Raises**: BadInput where the engine is not set up any more, or is another one by now.
    """
    engine = get_engine(asked.engine, predict_model=asked.predict_model)
    if (engine.model, engine.prompt_version) != (asked.model, asked.prompt_version):
        raise BadInput("The engine was changed since this run was asked for. Ask for it again.")
    tools = Tools(engine=engine, embedder=get_embedder())
    return tools if asked.expects else arms.everything(tools)


def _as_then(scene: assembly.Scene, *, asked: AskedShadow) -> assembly.Scene:
    """Compare candidates with what was there when the words were first read."""
    return replace(
        scene,
        near=partial(near_then, known_at=asked.known_at),
        ended=partial(was_believed_then, known_at=asked.known_at),
    )


def _titled(scene: assembly.Scene, *, tools: Tools) -> assembly.Scene:
    """Take the episode's title, or make one for this run alone: nothing of it changes."""
    if scene.episode.title:
        return scene
    title = tools.engine.describe(scene.episode).title
    return replace(scene, episode=replace(scene.episode, title=title))
