"""From a draft to a proposal's row: a step of every command that proposes."""

from collections.abc import Sequence
from datetime import datetime

from knowledge.commands import recognising
from knowledge.commands.content import check_content
from knowledge.fingerprints import fingerprint
from knowledge.models import Evidence, ExtractionRun, Proposal, Version
from knowledge.results import EvidenceDraft, ProposalDraft
from knowledge.trust import TrustState


def create(
    *,
    space_id: int,
    subject_id: int,
    draft: ProposalDraft,
    run: ExtractionRun | None,
    ordinal: int | None,
    now: datetime,
) -> Proposal:
    """Write a draft as pending, or as set aside by its own reason or by a tombstone.

    **Raises**: InvalidInput, InvalidPeriod.
    """
    proposal = judged(
        space_id=space_id, subject_id=subject_id, draft=draft, run=run, ordinal=ordinal, now=now
    )
    proposal.save(force_insert=True)
    return proposal


def judged(
    *,
    space_id: int,
    subject_id: int,
    draft: ProposalDraft,
    run: ExtractionRun | None,
    ordinal: int | None,
    now: datetime,
) -> Proposal:
    """Make a draft the row it would be, tombstones and rejections asked, and write nothing.

    **Raises**: InvalidInput, InvalidPeriod.
    """
    target_seen = None
    if draft.target_id is not None:
        target_seen = (
            Version.objects.current()
            .filter(space_id=space_id, subject_id=subject_id, statement_id=draft.target_id)
            .order_by("-valid")
            .first()
        )
    proposal = Proposal(
        space_id=space_id,
        subject_id=subject_id,
        run=run,
        ordinal=ordinal,
        state=TrustState.SET_ASIDE if draft.aside_reason else TrustState.PENDING,
        original=_original(draft),
        about=draft.about,
        text=draft.text,
        memory_type=draft.memory_type,
        criticality=draft.criticality,
        attribute=draft.attribute,
        value=draft.value,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        start_basis=draft.start_basis,
        date_phrase=draft.date_phrase,
        language=draft.language,
        modality=draft.modality,
        kind_suggested=draft.kind,
        target=target_seen.statement if target_seen else None,
        target_seen=target_seen,
        reason=draft.reason,
        confidence=draft.confidence,
        surprise=draft.surprise,
        unexpected=list(draft.unexpected),
        flags=list(draft.flags),
        aside_reason=draft.aside_reason,
        joined_to_id=draft.joined_to,
        rejected_as_id=draft.rejected_as,
        waits_on_id=draft.waits_on,
        created_at=now,
    )
    check_content(proposal)
    proposal.fingerprint = fingerprint(draft.attribute, draft.value or draft.text)
    said_in = [item.message_id for item in draft.evidence]
    recognising.admit(proposal, message_ids=said_in, by_hand=run is None)
    return proposal


def _original(draft: ProposalDraft) -> dict[str, object]:
    return {
        "text": draft.text,
        "about": draft.about,
        "memory_type": draft.memory_type,
        "criticality": draft.criticality,
        "attribute": draft.attribute,
        "value": draft.value,
        "valid_from": draft.valid_from.isoformat(),
        "valid_to": draft.valid_to.isoformat() if draft.valid_to else None,
        "start_basis": draft.start_basis,
        "date_phrase": draft.date_phrase,
        "kind": draft.kind,
        "target": draft.target_id,
        "reason": draft.reason,
        "confidence": draft.confidence,
    }


def attach_evidence(
    proposal: Proposal, *, evidence: Sequence[EvidenceDraft], run_id: int | None
) -> None:
    """Attach the words a proposal rests on; ``run_id`` is the run that found them."""
    Evidence.objects.bulk_create(
        (
            Evidence(
                space_id=proposal.space_id,
                proposal=proposal,
                run_id=run_id,
                message_id=item.message_id,
                start=item.start,
                end=item.end,
                quote=item.quote,
                role=item.role,
            )
            for item in evidence
        ),
        ignore_conflicts=True,
    )
