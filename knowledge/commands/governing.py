"""The rules a space decides by: set by administrators, version after version."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction

from knowledge import policies
from knowledge.blindness import DEFAULT_SHARE
from knowledge.commands import audit, jobs
from knowledge.errors import Conflict, InvalidInput
from knowledge.models import FourEyes, GuidelineVersion, PolicyVersion, Proposal
from knowledge.results import Actor
from knowledge.texts import check_text
from knowledge.trust import WhatHappened

EXPIRE_BELIEFS = "expire_beliefs"
LONGEST_GUIDELINE = 50_000
_REPLACES = frozenset({WhatHappened.CHANGED, WhatHappened.NEVER_SO, WhatHappened.CANNOT_TELL})


def current_policy(space_id: int) -> PolicyVersion | None:
    """Return the policy in force, or None where the space never set one: then nobody is second."""
    return PolicyVersion.objects.filter(space_id=space_id).order_by("-pk").first()


def current_guideline_id(space_id: int) -> int | None:
    """Return which guideline is in force, or None."""
    newest = GuidelineVersion.objects.filter(space_id=space_id).order_by("-pk")
    return newest.values_list("pk", flat=True).first()


def needs_second(
    policy: PolicyVersion | None, *, proposal: Proposal, happened: WhatHappened
) -> bool:
    """Say whether the policy asks for a second person before this is believed."""
    if policy is None or policy.four_eyes == FourEyes.NEVER:
        return False
    if policy.four_eyes == FourEyes.ALWAYS:
        return True
    must_include = proposal.criticality == "must_include"
    return bool(proposal.flags) or must_include or happened in _REPLACES


@transaction.atomic(durable=True)
def set_policy(
    *,
    space_id: int,
    four_eyes: str,
    expire_after_days: int | None,
    by: Actor,
    now: datetime,
    request_id: UUID | None = None,
    blind_share: int = DEFAULT_SHARE,
) -> PolicyVersion:
    """Put a new policy in force; earlier decisions keep the one they were made under.

    **Units**: ``blind_share`` in per cent of decisions.

    **Raises**: NotAllowed, InvalidInput; Conflict when the same form came before.
    """
    policies.check_can_govern(user_id=by.user_id, space_id=space_id, now=now)
    if four_eyes not in FourEyes.values:
        raise InvalidInput(
            f"Choose when a second person is needed: {', '.join(FourEyes.values)}.",
            field="four_eyes",
        )
    if expire_after_days is not None and not 1 <= expire_after_days <= 36_500:
        raise InvalidInput("Choose from 1 to 36,500 days, or none.", field="expire_after_days")
    if not 0 <= blind_share <= 100:
        raise InvalidInput("Choose a share from 0 to 100 per cent.", field="blind_share")
    version = PolicyVersion(
        space_id=space_id,
        four_eyes=four_eyes,
        expire_after_days=expire_after_days,
        blind_share=blind_share,
        by_id=by.user_id,
        request_id=request_id or uuid4(),
        created_at=now,
    )
    _put_in_force(version)
    audit.append(
        space_id=space_id,
        by=by,
        action="policy.set",
        object_type="policy",
        object_id=str(version.pk),
        payload={
            "four_eyes": four_eyes,
            "expire_after_days": expire_after_days,
            "blind_share": blind_share,
        },
    )
    if expire_after_days is not None:
        ask_for_expiry(space_id=space_id, now=now)
    return version


def ask_for_expiry(*, space_id: int, now: datetime, delay: timedelta = timedelta(0)) -> None:
    """Ask the worker to let what is due expire; once a day and space, however often asked."""
    day = (now + delay).date().isoformat()
    jobs.enqueue(
        space_id=space_id,
        kind=EXPIRE_BELIEFS,
        key=f"space:{space_id}:{day}",
        payload={"space_id": space_id},
        now=now,
        delay=delay,
    )


@transaction.atomic(durable=True)
def set_guideline(
    *, space_id: int, markdown: str, by: Actor, now: datetime, request_id: UUID | None = None
) -> GuidelineVersion:
    """Put a new guideline before the curators' eyes; earlier ones stay readable.

    **Raises**: NotAllowed, InvalidInput; Conflict when the same form came before.
    """
    policies.check_can_govern(user_id=by.user_id, space_id=space_id, now=now)
    text = check_text(markdown, field="markdown", most=LONGEST_GUIDELINE)
    version = GuidelineVersion(
        space_id=space_id,
        markdown=text,
        by_id=by.user_id,
        request_id=request_id or uuid4(),
        created_at=now,
    )
    _put_in_force(version)
    audit.append(
        space_id=space_id,
        by=by,
        action="guideline.set",
        object_type="guideline",
        object_id=str(version.pk),
        payload={"markdown": text},
    )
    return version


def _put_in_force(version: PolicyVersion | GuidelineVersion) -> None:
    try:
        with transaction.atomic():
            version.save(force_insert=True)
    except IntegrityError as error:
        if "per_request" not in str(error):
            raise
        raise Conflict("That was set already, by the same form.") from error
