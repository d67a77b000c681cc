"""Runs for comparison: asked for by a person, worked off by a job, believed by nobody.

A shadow run proposes nothing and changes nothing of belief or of the queue. What it found is kept
beside what people decide about, and only its own page reads it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from knowledge import policies
from knowledge.commands import audit, drafting, findings, jobs, recognising, sources
from knowledge.commands.content import check_evidence
from knowledge.errors import BlockedByTombstone, Erased, InvalidInput, NotFound
from knowledge.models import (
    Conversation,
    ConversationSubject,
    Episode,
    ExtractionRun,
    Job,
    Message,
    RunState,
    ShadowCandidate,
    ShadowQuote,
    Subject,
    Tombstone,
    TombstoneLevel,
)
from knowledge.models.job import OPEN_STATES
from knowledge.models.run import OPEN_RUNS
from knowledge.results import Actor, Lease, ProposalDraft, RunOutcome, ShadowArm
from knowledge.texts import keepable

SHADOW_RUN = "shadow_run"


@transaction.atomic(durable=True)
def request_shadow(*, space_id: int, run_id: int, arm: ShadowArm, by: Actor, now: datetime) -> int:
    """Ask for what a run read to be read again by another engine, for comparison alone.

    It stands beside that run, or beside the one a shadow run stands beside. While the same is
    queued or running, asking again answers with that run.

    **Returns**: the new run's id.
    **Raises**: NotAllowed; NotFound; InvalidInput where the conversation proposes nothing for the
    subject any more; Erased; BlockedByTombstone.
    """
    policies.check_can_ask_shadow(user_id=by.user_id, space_id=space_id, now=now)
    runs = ExtractionRun.objects.select_related("episode", "beside")
    run = runs.filter(pk=run_id, space_id=space_id).first()
    if run is None:
        raise NotFound("There is no such run.")
    sources.lock_conversations(Conversation.objects.filter(pk=run.episode.conversation_id))
    _check_readable(run.episode, subject_id=run.subject_id)
    same = {
        "beside": run.beside or run,
        "engine": arm.engine,
        "model": arm.model,
        "prompt_version": arm.prompt_version,
        "predict_model": arm.predict_model,
        "arm": arm.arm,
    }
    asked = _still_open(same)
    if asked is not None:
        return asked
    shadow = ExtractionRun.objects.create(
        space_id=space_id,
        episode=run.episode,
        subject_id=run.subject_id,
        shadow=True,
        state=RunState.QUEUED,
        asked_by_id=by.user_id,
        started_at=now,
        **same,
    )
    jobs.enqueue(
        space_id=space_id,
        kind=SHADOW_RUN,
        key=str(shadow.pk),
        payload={"run_id": shadow.pk},
        now=now,
    )
    audit.append(
        space_id=space_id,
        by=by,
        action="run.shadow",
        object_type="run",
        object_id=str(shadow.pk),
        subject_id=run.subject_id,
        payload={"engine": arm.engine, "model": arm.model, "arm": arm.arm},
    )
    return shadow.pk


def _still_open(same: Mapping[str, Any]) -> int | None:
    """Find the same, asked for already: queued, running, or failed and to be tried again."""
    runs = ExtractionRun.objects.filter(shadow=True, **same).exclude(state=RunState.DONE)
    states = dict(runs.order_by("-pk").values_list("pk", "state"))
    keys = [str(pk) for pk in states]
    open_jobs = Job.objects.filter(kind=SHADOW_RUN, key__in=keys, state__in=OPEN_STATES)
    waiting = {int(key) for key in open_jobs.values_list("key", flat=True)}
    return next((pk for pk, state in states.items() if state in OPEN_RUNS or pk in waiting), None)


def _check_readable(episode: Episode, *, subject_id: int) -> None:
    """Refuse to read again what was erased, or for whom nothing is proposed.

    **Raises**: NotFound; InvalidInput; Erased; BlockedByTombstone.
    """
    subject = Subject.objects.filter(pk=subject_id, space_id=episode.space_id).first()
    if subject is None:
        raise NotFound("There is no such subject.")
    if subject.redacted_at is not None:
        raise Erased("This subject was erased: there is nothing left to read again.")
    blocked = Tombstone.objects.filter(
        space_id=episode.space_id,
        subject_id=subject_id,
        level=TombstoneLevel.SUBJECT,
        lifted_by=None,
    ).first()
    if blocked is not None:
        raise BlockedByTombstone(
            "This subject was erased, and nothing of it is read again.", tombstone_id=blocked.pk
        )
    part = ConversationSubject.objects.filter(
        conversation_id=episode.conversation_id, subject_id=subject_id, proposes=True
    )
    if not part.exists():
        raise InvalidInput("This conversation proposes nothing for that subject.", field="subject")
    words = Message.objects.filter(episode=episode).exclude(text="", redacted_at__isnull=False)
    if not words.exists():
        raise Erased("The words of this episode were erased: there is nothing left to read again.")


@transaction.atomic(durable=True)
def begin_shadow(
    *,
    run_id: int,
    cold_start: bool,
    shown: Sequence[str],
    read: Mapping[int, str],
    now: datetime,
) -> ExtractionRun:
    """Let a shadow run begin, or begin again after it was interrupted; one that is done stays.

    **Raises**: Conflict when any of what was read was erased since.
    """
    asked = ExtractionRun.objects.select_related("episode").get(pk=run_id, shadow=True)
    sources.lock_conversations(Conversation.objects.filter(pk=asked.episode.conversation_id))
    findings.check_still_there(asked.subject_id, read=read, shown=shown)
    ExtractionRun.objects.filter(pk=run_id).exclude(state=RunState.DONE).update(
        state=RunState.RUNNING,
        error="",
        shown=list(shown),
        cold_start=cold_start,
        started_at=now,
        redacted_at=None,
    )
    asked.refresh_from_db()
    return asked


@transaction.atomic(durable=True)
def give_up_shadow(*, run_id: int, reason: str) -> None:
    """Close a shadow run that cannot be worked out any more, with a readable reason."""
    ExtractionRun.objects.filter(pk=run_id, shadow=True).exclude(state=RunState.DONE).update(
        state=RunState.FAILED, error=keepable(reason)
    )


@transaction.atomic(durable=True)
def record_shadow(
    *, run_id: int, outcome: RunOutcome, by: Actor, now: datetime, held: Lease | None = None
) -> int:
    """Write what a shadow run found, once, in one transaction, and none of it as a proposal.

    A second call for the same run changes nothing.
    **Returns**: how many candidates it has.
    **Raises**: Conflict when its words were erased meanwhile, or another worker took over.
    """
    run = findings.lock_run(run_id, held=held)
    if run.state == RunState.DONE:
        return run.shadow_candidates.count()
    audit.hold(run.space_id)
    predicted = findings.write_predictions(run, outcome=outcome)
    findings.write_gaps(run, outcome=outcome, predicted=predicted)
    for ordinal, draft in enumerate(outcome.drafts):
        _write_candidate(run, draft=draft, ordinal=ordinal, now=now)
    findings.finish(run, outcome=outcome)
    audit.append(
        space_id=run.space_id,
        by=by,
        action="run.record_shadow",
        object_type="run",
        object_id=str(run.pk),
        subject_id=run.subject_id,
        payload={"candidates": len(outcome.drafts)},
    )
    return len(outcome.drafts)


def _write_candidate(
    run: ExtractionRun, *, draft: ProposalDraft, ordinal: int, now: datetime
) -> None:
    if draft.evidence:
        check_evidence(
            space_id=run.space_id,
            evidence=draft.evidence,
            conversation_id=run.episode.conversation_id,
        )
    would_be = drafting.judged(
        space_id=run.space_id,
        subject_id=run.subject_id,
        draft=draft,
        run=run,
        ordinal=ordinal,
        now=now,
    )
    is_blocked = would_be.aside_reason == recognising.BLOCKED
    candidate = ShadowCandidate.objects.create(
        space_id=run.space_id,
        run=run,
        ordinal=ordinal,
        text=would_be.text,
        kind=would_be.kind_suggested,
        modality=would_be.modality,
        target_id=draft.target_id,
        repeats_id=None if is_blocked else draft.joined_to,
        # What people rejected since the words were first read says nothing of the engine.
        aside_reason=would_be.aside_reason if is_blocked else draft.aside_reason,
        flags=[
            flag
            for flag in would_be.flags
            if flag in draft.flags or flag == recognising.TOMBSTONE_FLAG
        ],
        confidence=would_be.confidence,
        surprise=would_be.surprise,
    )
    ShadowQuote.objects.bulk_create(
        ShadowQuote(
            space_id=run.space_id,
            candidate=candidate,
            message_id=item.message_id,
            start=item.start,
            end=item.end,
            role=item.role,
        )
        for item in draft.evidence
    )
