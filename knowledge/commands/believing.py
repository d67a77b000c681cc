"""What an approval does to belief, by what the curator says happened: steps on locked rows."""

from datetime import datetime

from knowledge.commands import belief, deciding, indexing, recognising
from knowledge.errors import InvalidInput
from knowledge.models import Confirmation, Contest, Decision, Proposal, Statement, Version
from knowledge.periods import check_instant
from knowledge.trust import WAITING_STATES, WhatHappened

NEEDS_TARGET = frozenset(
    {
        WhatHappened.CHANGED,
        WhatHappened.NEVER_SO,
        WhatHappened.CANNOT_TELL,
        WhatHappened.CONFIRMATION,
    }
)


def tell_others(proposal: Proposal, *, target: Version | None, held: Version) -> None:
    """Show others that wait on the same statement, or on this proposal, what became of it."""
    if target is not None:
        _warn_siblings(proposal, target=target)
    followers = proposal.followers.filter(state__in=WAITING_STATES)
    deciding.not_in_other_hands(followers).update(target=held.statement_id, target_seen=held)


def lock_target(proposal: Proposal, *, happened: WhatHappened, seen: int | None) -> Version | None:
    """Lock the version that was seen as what this would replace, contest or confirm.

    **Raises**: InvalidInput when none is named or it is another subject's; TargetMoved.
    """
    if seen is None:
        if happened in NEEDS_TARGET:
            raise InvalidInput(
                "Name the statement this would replace, contest or confirm.", field="target"
            )
        return None
    target = (
        Version.objects.select_for_update(no_key=True, of=("self",))
        .select_related("closed_by__by")
        .filter(space_id=proposal.space_id, subject_id=proposal.subject_id, pk=seen)
        .first()
    )
    if target is None:
        raise InvalidInput("There is no such statement of this subject.", field="target")
    deciding.check_believed(target)
    return target if happened in NEEDS_TARGET else None


def believe(
    proposal: Proposal,
    *,
    decision: Decision,
    happened: WhatHappened,
    target: Version | None,
    changed_at: datetime | None,
) -> Version:
    """Do to belief what the curator says happened, and return the version that now holds.

    **Raises**: SlotTaken, TargetMoved, InvalidPeriod.
    """
    if happened == WhatHappened.NEW:
        slot_key = belief.slot_of(proposal)
        return belief.begin_statement(proposal, decision=decision, slot_key=slot_key)
    if happened == WhatHappened.BOTH_TRUE:
        return belief.begin_statement(proposal, decision=decision, slot_key=None)
    if target is None:
        raise InvalidInput("Name the statement this is about.", field="target")
    if happened == WhatHappened.CHANGED:
        start = check_instant(changed_at or proposal.valid_from, field="changed_at")
        return belief.replace_from(proposal, decision=decision, target=target, start=start)
    if happened == WhatHappened.NEVER_SO:
        return belief.correct(proposal, decision=decision, target=target)
    if happened == WhatHappened.CANNOT_TELL:
        version = belief.begin_statement(proposal, decision=decision, slot_key=None)
        Contest.objects.create(
            space_id=proposal.space_id, version_a=target, version_b=version, opened_by=decision
        )
        return version
    _confirm(proposal, decision=decision, statement=target.statement, version=target)
    return target


def _confirm(
    proposal: Proposal, *, decision: Decision, statement: Statement, version: Version
) -> None:
    recognising.check_believable(recognising.value_of(proposal))
    Confirmation.objects.create(
        space_id=proposal.space_id, proposal=proposal, confirms=statement, decision=decision
    )
    evidence = list(proposal.evidence.select_related("message"))
    indexing.index_evidence(version, evidence=evidence, decision=decision)


def _warn_siblings(proposal: Proposal, *, target: Version) -> None:
    """Others that wait on the same statement are shown against what it has become."""
    current = (
        Version.objects.current()
        .filter(statement_id=target.statement_id)
        .order_by("-valid")
        .first()
    )
    siblings = Proposal.objects.filter(
        space_id=proposal.space_id, target_seen=target, state__in=WAITING_STATES
    ).exclude(pk=proposal.pk)
    deciding.not_in_other_hands(siblings).update(
        target_seen=current,
        stale_reason=f"What this would replace changed meanwhile: “{proposal.text}” was approved.",
    )
