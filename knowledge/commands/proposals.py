"""Everything that may be believed enters here, as set aside or pending, never further."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from knowledge import policies
from knowledge.commands import audit, drafting, findings, sources
from knowledge.commands.content import check_evidence, check_part
from knowledge.errors import InvalidInput, NotFound
from knowledge.models import (
    Conversation,
    DecisionKind,
    Episode,
    ExtractionRun,
    Gap,
    Proposal,
    ProposalGap,
    ProposalVector,
    RunState,
)
from knowledge.results import (
    Actor,
    EvidenceDraft,
    Lease,
    ProposalDraft,
    Recorded,
    RunOutcome,
)
from knowledge.trust import WAITING_STATES, TrustState


@transaction.atomic(durable=True)
def begin_run(
    *,
    episode_id: int,
    subject_id: int,
    engine: str,
    model: str,
    prompt_version: str,
    cold_start: bool,
    shown: Sequence[str],
    now: datetime,
    read: Mapping[int, str] | None = None,
    predict_model: str = "",
) -> ExtractionRun:
    """Open the run of an engine over an episode, or return the open one.

    Idempotent by episode, subject, engine, model and prompt version. ``read`` are the
    texts that were read, by message, and ``shown`` the refs of what was known. ``predict_model``
    is named where another model predicts.

    **Raises**: Conflict when any of it was erased since it was read.
    """
    episode = Episode.objects.get(pk=episode_id)
    sources.lock_conversations(Conversation.objects.filter(pk=episode.conversation_id))
    findings.check_still_there(subject_id, read=read or {}, shown=shown)
    run, is_new = ExtractionRun.objects.get_or_create(
        episode_id=episode_id,
        subject_id=subject_id,
        engine=engine,
        model=model,
        prompt_version=prompt_version,
        shadow=False,
        defaults={
            "space_id": episode.space_id,
            "cold_start": cold_start,
            "predict_model": predict_model,
            "shown": list(shown),
            "started_at": now,
        },
    )
    if not is_new:
        # What an interrupted attempt was shown is not what this one will have seen.
        ExtractionRun.objects.filter(pk=run.pk).exclude(state=RunState.DONE).update(
            state=RunState.RUNNING,
            error="",
            shown=list(shown),
            cold_start=cold_start,
            predict_model=predict_model,
            started_at=now,
            redacted_at=None,
        )
        run.refresh_from_db()
    return run


@transaction.atomic(durable=True)
def fail_run(
    *,
    run_id: int,
    error: str,
    usage: Mapping[str, Any] | None = None,
    duration_ms: int = 0,
) -> None:
    """Mark a run as failed with a readable reason, and with what it took so far.

    **Shape**: ``usage`` as of a run that is done. **Units**: ``duration_ms`` milliseconds.
    """
    run = ExtractionRun.objects.select_for_update(no_key=True).filter(
        pk=run_id, state=RunState.RUNNING, redacted_at=None
    )
    for running in run:
        findings.fail(running, error=error, usage=usage or {}, duration_ms=duration_ms)


@transaction.atomic(durable=True)
def record_run(
    *, run_id: int, outcome: RunOutcome, by: Actor, now: datetime, held: Lease | None = None
) -> Recorded:
    """Write everything a run found, once, in one transaction.

    A draft joined to a waiting proposal is kept as set aside and lends it its evidence.
    A second call for the same run changes nothing and answers with what is there.
    """
    run = findings.lock_run(run_id, held=held)
    if run.state == RunState.DONE:
        return _recorded(run)
    _lock_joined(run, outcome=outcome)
    audit.hold(run.space_id)
    predicted = findings.write_predictions(run, outcome=outcome)
    gaps = findings.write_gaps(run, outcome=outcome, predicted=predicted)
    written: list[Proposal] = []
    for draft in outcome.drafts:
        placed = _placed(draft, written)
        written.append(
            _write_draft(
                run, draft=placed, ordinal=len(written), gaps=gaps, outcome=outcome, now=now
            )
        )
    findings.finish(run, outcome=outcome)
    audit.append(
        space_id=run.space_id,
        by=by,
        action="run.record",
        object_type="run",
        object_id=str(run.pk),
        subject_id=run.subject_id,
        payload={"proposals": [proposal.pk for proposal in written]},
    )
    return _recorded(run)


@transaction.atomic(durable=True)
def propose_by_hand(
    *,
    space_id: int,
    subject_id: int,
    draft: ProposalDraft,
    by: Actor,
    now: datetime,
    run_id: int | None = None,
) -> int:
    """Propose words a person chose, such as words that were expected.

    **Returns**: the proposal's id.
    **Raises**: NotAllowed; InvalidInput when a quote does not stand in its message, or the subject
    has no part in its conversation.
    """
    if by.user_id is not None:
        policies.check_can_decide(user_id=by.user_id, space_id=space_id, now=now)
    quoted = {item.message_id for item in draft.evidence}
    sources.lock_conversations(Conversation.objects.filter(messages__in=quoted))
    audit.hold(space_id)
    check_evidence(space_id=space_id, evidence=draft.evidence)
    check_part(space_id=space_id, subject_id=subject_id, evidence=draft.evidence)
    proposal = drafting.create(
        space_id=space_id, subject_id=subject_id, draft=draft, run=None, ordinal=None, now=now
    )
    drafting.attach_evidence(proposal, evidence=draft.evidence, run_id=run_id)
    if by.user_id is not None:
        proposal.contributors.add(by.user_id)
    audit.append(
        space_id=space_id,
        by=by,
        action="proposal.create",
        object_type="proposal",
        object_id=str(proposal.pk),
        subject_id=subject_id,
        payload={"text": draft.text},
    )
    return proposal.pk


def _lock_joined(run: ExtractionRun, *, outcome: RunOutcome) -> None:
    """Lock what drafts will lend their words to, by id and before anything is written."""
    ids = {draft.joined_to for draft in outcome.drafts if draft.joined_to is not None}
    rows = Proposal.objects.select_for_update(no_key=True, of=("self",)).filter(
        space_id=run.space_id, subject_id=run.subject_id, pk__in=ids
    )
    if len(rows.order_by("pk")) != len(ids):
        raise NotFound("There is no such proposal of this subject to join.")


def _placed(draft: ProposalDraft, written: Sequence[Proposal]) -> ProposalDraft:
    """Point a draft at the earlier drafts of its run it speaks to, now that they have ids."""
    if draft.joins is not None:
        return replace(draft, joined_to=written[draft.joins].pk)
    if draft.waits_on_draft is None:
        return draft
    first = written[draft.waits_on_draft]
    return replace(draft, waits_on=first.pk if first.state in WAITING_STATES else None)


def _write_draft(
    run: ExtractionRun,
    *,
    draft: ProposalDraft,
    ordinal: int,
    gaps: list[Gap],
    outcome: RunOutcome,
    now: datetime,
) -> Proposal:
    check_evidence_is_there = bool(draft.evidence)
    if check_evidence_is_there:
        check_evidence(
            space_id=run.space_id,
            evidence=draft.evidence,
            conversation_id=run.episode.conversation_id,
        )
    elif draft.aside_reason == "":
        raise InvalidInput("A pending proposal needs the words it rests on.", field="evidence")
    proposal = drafting.create(
        space_id=run.space_id,
        subject_id=run.subject_id,
        draft=draft,
        run=run,
        ordinal=ordinal,
        now=now,
    )
    drafting.attach_evidence(proposal, evidence=draft.evidence, run_id=run.pk)
    ProposalGap.objects.bulk_create(
        ProposalGap(space_id=run.space_id, proposal=proposal, gap=gap)
        for gap in dict.fromkeys(gaps[position] for position in draft.gaps)
    )
    if draft.vector is not None:
        ProposalVector.objects.create(
            proposal=proposal,
            space_id=run.space_id,
            subject_id=run.subject_id,
            model=outcome.embedder,
            vector=list(draft.vector),
        )
    if proposal.joined_to is not None:
        _join(proposal, waiting=proposal.joined_to, run=run)
    return proposal


def _join(joined: Proposal, *, waiting: Proposal, run: ExtractionRun) -> None:
    # What was believed once, and undone, keeps the words it was believed on.
    once_believed = waiting.decisions.filter(kind=DecisionKind.APPROVE).exists()
    if waiting.state not in WAITING_STATES or once_believed:
        return
    lent = [
        EvidenceDraft(item.message_id, item.start, item.end, item.quote, item.role)
        for item in joined.evidence.all()
    ]
    drafting.attach_evidence(waiting, evidence=lent, run_id=run.pk)
    # Nobody may approve words that joined after the card was opened.
    Proposal.objects.filter(pk=waiting.pk).update(version=F("version") + 1)


def _recorded(run: ExtractionRun) -> Recorded:
    joined = run.proposals.filter(joined_to__isnull=False).count()
    aside = run.proposals.filter(joined_to__isnull=True, state=TrustState.SET_ASIDE).count()
    pending = run.proposals.count() - joined - aside
    return Recorded(pending=pending, set_aside=aside, joined=joined)
