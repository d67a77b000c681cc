"""Facts that another memory already made of a conversation: they wait for a person like any other.

Each rests on the message that records it, and is flagged as not said by the subject. No run stands
behind it, so nothing was predicted.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from extraction.flags import FlagContext, FlagEvidence, flags_for
from extraction.importers.base import ImportedStatement
from knowledge.commands import proposals
from knowledge.models import Message, Proposal, Subject
from knowledge.results import Actor, EvidenceDraft, ProposalDraft, SubjectRef

# What another program kept once is no measured confidence of ours.
CONFIDENCE = 0.5


def propose(
    statements: Sequence[ImportedStatement],
    *,
    conversation_id: int,
    subject: SubjectRef,
    by: Actor,
    now: datetime,
) -> int:
    """Propose those facts that are not proposed yet; how many. Asked again it adds none.

    **Cost**: two queries and a command for each new one.
    """
    found = Message.objects.filter(
        conversation_id=conversation_id,
        external_id__in={one.message_id for one in statements},
        redacted_at=None,
    )
    messages = {row.external_id: row for row in found.order_by("ordinal")}
    proposed = 0
    for one in statements:
        message = messages.get(one.message_id)
        if message is None or one.text not in message.text or _is_there(message, text=one.text):
            continue
        owner = Subject.objects.get(
            space_id=message.space_id, kind=subject.kind, external_id=subject.external_id
        )
        proposals.propose_by_hand(
            space_id=message.space_id,
            subject_id=owner.pk,
            draft=_draft(one, message=message, owner=owner),
            # Whoever brings a file has not decided anything about what is in it.
            by=replace(by, user_id=None),
            now=now,
        )
        proposed += 1
    return proposed


def _is_there(message: Message, *, text: str) -> bool:
    return Proposal.objects.filter(
        space_id=message.space_id, evidence__message=message, original__text=text
    ).exists()


def _draft(one: ImportedStatement, *, message: Message, owner: Subject) -> ProposalDraft:
    start = message.text.index(one.text)
    context = FlagContext(
        text=one.text,
        subject_name=owner.name,
        subject_kind=owner.kind,
        about=owner.name,
        evidence=(FlagEvidence(one.text, message.text, by_subject=False, kind=message.kind),),
        valid_from=message.sent_at,
        said_at=message.sent_at,
    )
    return ProposalDraft(
        text=one.text,
        about=owner.name,
        evidence=(EvidenceDraft(message.pk, start, start + len(one.text), one.text),),
        valid_from=message.sent_at,
        confidence=CONFIDENCE,
        surprise=1.0,
        flags=flags_for(context),
    )
