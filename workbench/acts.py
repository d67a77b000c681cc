"""From a sound form to one command of the core: what a person pressed, who, where, when."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from knowledge.commands import blind, proposals, reshaping, review, undoing
from knowledge.commands.recognising import TOMBSTONE_FLAG
from knowledge.periods import start_of_day
from knowledge.queries.targets import Basis, Target
from knowledge.queries.words import ChosenWords
from knowledge.results import Actor, Decided, Edits, EvidenceDraft, ProposalDraft, Review
from knowledge.trust import WhatHappened
from workbench.access import Seat
from workbench.forms import (
    ActForm,
    ApproveForm,
    BlindForm,
    DeferForm,
    DraftForm,
    EditForm,
    RejectForm,
    SameForm,
    SameWaitingForm,
    SendBackForm,
    SplitForm,
    StatementForm,
)


def actor(seat: Seat) -> Actor:
    """Name who acts: a person, in the browser."""
    return Actor(
        kind="user",
        id=seat.username,
        channel="web",
        user_id=seat.user_id,
        request_id=seat.request_id,
    )


def approve(form: ApproveForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Approve, as the person says it happened.

    **Raises**: as ``review.approve``.
    """
    given = form.cleaned_data
    return review.approve(
        review=_seen(form, proposal_id, note=given["note"]),
        happened=WhatHappened(given["change"] or WhatHappened.NEW),
        by=actor(seat),
        now=now,
        target_version_id=given["target_seen"],
        changed_at=_changed_at(given, zone=seat.zone),
        edits=_edits(given, zone=seat.zone) if isinstance(form, EditForm) else None,
    )


def confirm(form: SameForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Let a proposal confirm what is believed already.

    **Raises**: as ``review.approve``.
    """
    return review.approve(
        review=_seen(form, proposal_id),
        happened=WhatHappened.CONFIRMATION,
        by=actor(seat),
        now=now,
        target_version_id=form.cleaned_data["same_as"],
    )


def same_as_waiting(
    form: SameWaitingForm, *, proposal_id: int, seat: Seat, now: datetime
) -> Decided:
    """Let a proposal lend its words to another one that waits.

    **Raises**: as ``reshaping.same_as_waiting``.
    """
    return reshaping.same_as_waiting(
        review=_seen(form, proposal_id),
        other_id=form.cleaned_data["other"],
        by=actor(seat),
        now=now,
    )


def split(form: SplitForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Replace a proposal by its parts. **Raises**: as ``reshaping.split``."""
    seen = _seen(form, proposal_id)
    return reshaping.split(review=seen, texts=form.texts, by=actor(seat), now=now)


def send_back(form: SendBackForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Return what awaits a second person. **Raises**: as ``review.send_back``."""
    seen = _seen(form, proposal_id, note=form.cleaned_data["note"])
    return review.send_back(review=seen, by=actor(seat), now=now)


def reject(form: RejectForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Reject with a reason. **Raises**: as ``review.reject``."""
    return review.reject(
        review=_seen(form, proposal_id, note=form.cleaned_data["note"]),
        reason_code=form.cleaned_data["reason"],
        by=actor(seat),
        now=now,
    )


def defer(form: DeferForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Put a proposal off. **Raises**: as ``review.defer``."""
    return review.defer(
        review=_seen(form, proposal_id),
        until=form.until_at(now=now, today=seat.today(now)),
        by=actor(seat),
        now=now,
    )


def wake(form: ActForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Bring a deferred proposal back. **Raises**: as ``review.wake``."""
    return review.wake(review=_seen(form, proposal_id), by=actor(seat), now=now)


def propose_anyway(form: ActForm, *, proposal_id: int, seat: Seat, now: datetime) -> Decided:
    """Bring to review what was set aside or rejected.

    **Raises**: as ``review.propose_anyway``.
    """
    return review.propose_anyway(review=_seen(form, proposal_id), by=actor(seat), now=now)


def propose_by_hand(
    form: StatementForm, *, words: ChosenWords, subject_id: int, seat: Seat, now: datetime
) -> int:
    """Propose what a person made of words; its id.

    A person who wrote it is sure that the words say it, and expected nothing.
    **Raises**: as ``proposals.propose_by_hand``.
    """
    given = form.cleaned_data
    draft = ProposalDraft(
        text=given["text"],
        about=given["about"],
        evidence=(EvidenceDraft(words.message_id, words.start, words.end, words.quote),),
        valid_from=words.sent_at,
        confidence=1.0,
        surprise=1.0,
        memory_type=given["memory_type"],
        criticality=given["criticality"],
        attribute=given["attribute"],
        value=given["value"],
    )
    return proposals.propose_by_hand(
        space_id=words.space_id, subject_id=subject_id, draft=draft, by=actor(seat), now=now
    )


def propose_draft(
    form: DraftForm, *, basis: Basis, target: Target | None, seat: Seat, now: datetime
) -> int:
    """Propose what a person had written over a proposal, on the same words; its id.

    With ``target`` as an update of what is believed because of that proposal.
    **Raises**: as ``proposals.propose_by_hand``.
    """
    given = form.cleaned_data
    start = _moved(given["valid_from"], given["was_from"], zone=seat.zone)
    if given["valid_to"] is None:
        end = None
    else:
        end = _moved(given["valid_to"], given["was_to"], zone=seat.zone) or basis.valid_to
    draft = ProposalDraft(
        text=given["text"],
        about=given["about"],
        evidence=basis.evidence,
        valid_from=start or basis.valid_from,
        valid_to=end,
        start_basis=basis.start_basis if start is None else "stated",
        date_phrase=basis.date_phrase if start is None else "",
        language=basis.language,
        modality=basis.modality,
        confidence=1.0,
        surprise=1.0,
        memory_type=given["memory_type"],
        criticality=given["criticality"],
        attribute=given["attribute"],
        value=given["value"],
        # What the words call for care about; tombstones are looked for anew.
        flags=tuple(flag for flag in basis.flags if flag != TOMBSTONE_FLAG),
        kind="update" if target else "new",
        target_id=target.statement_id if target else None,
    )
    return proposals.propose_by_hand(
        space_id=seat.space_id,
        subject_id=basis.subject_id,
        draft=draft,
        by=actor(seat),
        now=now,
    )


def answer_blind(form: BlindForm, *, draw_id: int, seat: Seat, now: datetime) -> int:
    """Record what a second reader would have decided; the proposal it was about.

    **Raises**: as ``blind.answer``.
    """
    given = form.cleaned_data
    verdict, reason, target = given["verdict"], given["reason"], None
    if verdict == "approve":
        reason, target = given["change"] or WhatHappened.NEW.value, given["target_seen"]
    elif verdict == "same":
        verdict, reason, target = "approve", WhatHappened.CONFIRMATION.value, given["same_as"]
    made = blind.answer(
        draw_id=draw_id,
        verdict=verdict,
        reason_code=reason,
        request_id=given["request_id"],
        by=actor(seat),
        now=now,
        target_version_id=target,
        opened_at=given["opened_at"],
    )
    return made.draw.proposal_id


def undo(*, decision_id: UUID, request_id: UUID, seat: Seat, now: datetime) -> Decided:
    """Take a decision back. **Raises**: as ``undoing.undo``."""
    return undoing.undo(decision_id=decision_id, request_id=request_id, by=actor(seat), now=now)


def _seen(form: ActForm, proposal_id: int, note: str = "") -> Review:
    given = form.cleaned_data
    return Review(
        proposal_id=proposal_id,
        seen_version=given["version"],
        request_id=given["request_id"],
        note=note,
        opened_at=given["opened_at"],
        evidence_opened=given["evidence_opened"],
        card_digest=given["card_digest"],
    )


def _changed_at(given: dict[str, Any], *, zone: str) -> datetime | None:
    """The day that was offered stands for the very instant of the words; another for its start."""
    chosen = given["changed_from"]
    if given["change"] != WhatHappened.CHANGED or chosen == given["offered_from"]:
        return None
    return start_of_day(chosen, zone)


def _edits(given: dict[str, Any], *, zone: str) -> Edits:
    return Edits(
        text=given["text"],
        about=given["about"],
        memory_type=given["memory_type"],
        criticality=given["criticality"],
        attribute=given["attribute"],
        value=given["value"],
        valid_from=_moved(given["valid_from"], given["was_from"], zone=zone),
        valid_to=_moved(given["valid_to"], given["was_to"], zone=zone),
        clear_valid_to=given["valid_to"] is None and given["was_to"] is not None,
    )


def _moved(day: date | None, was: date | None, *, zone: str) -> datetime | None:
    """Return a day's beginning, or None where the day was left as it was."""
    return None if day is None or day == was else start_of_day(day, zone)
