"""Spaces full of waiting proposals, made the way the product makes them."""

import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from knowledge.commands import proposals, scope, sources
from knowledge.models import Message, Proposal, Role, Space
from knowledge.results import (
    SYSTEM,
    WORKER,
    Captured,
    EvidenceDraft,
    NewMessage,
    ProposalDraft,
    RunOutcome,
    SpanDraft,
    SubjectRef,
)

IN_ONE_CONVERSATION = 50


@dataclass(frozen=True, slots=True)
class Said:
    """One message, and the proposal that all of it would become."""

    text: str
    about: str
    attribute: str
    value: str
    at: datetime


def open_space(*, now: datetime) -> Space:
    """Make a space for measuring: an evaluation space, so that it is never served by chance."""
    slug = f"bench-{uuid.uuid4().hex[:12]}"
    return scope.create_space(slug=slug, name=slug, by=SYSTEM, now=now, evaluation=True)


def seat_curators(space: Space, *, count: int, now: datetime) -> list[int]:
    """Make people who may decide in the space and can never log in; return their ids."""
    people = [User.objects.create_user(f"{space.slug}-{number}") for number in range(count)]
    for person in people:
        scope.add_membership(
            space_id=space.pk, user_id=person.pk, role=Role.CURATOR, by=SYSTEM, now=now
        )
    return [person.pk for person in people]


def propose(space: Space, *, subject: SubjectRef, said: Sequence[Said], now: datetime) -> list[int]:
    """Capture what was said and propose all of it; return the ids in the order given.

    Messages lie in conversations of fifty, one episode and one run each.
    """
    found: list[int] = []
    for start in range(0, len(said), IN_ONE_CONVERSATION):
        part = said[start : start + IN_ONE_CONVERSATION]
        captured = _capture(space, name=f"{subject}-{start}", subject=subject, said=part, now=now)
        messages = list(Message.objects.filter(conversation_id=captured.conversation_id))
        found += _extract(messages, said=part, now=now)
    return found


def _capture(
    space: Space, *, name: str, subject: SubjectRef, said: Sequence[Said], now: datetime
) -> Captured:
    messages = [
        NewMessage(f"m{place}", subject.name, "user_message", each.text, each.at, subject)
        for place, each in enumerate(said)
    ]
    return sources.capture(
        space_id=space.pk,
        external_id=name,
        source="bench",
        messages=messages,
        subjects=[subject],
        by=SYSTEM,
        now=now,
        # Nothing may extract from it besides what is proposed here.
        process_after=timedelta(days=365),
    )


def _extract(messages: Sequence[Message], *, said: Sequence[Said], now: datetime) -> list[int]:
    ids = [message.pk for message in messages]
    [episode_id] = sources.open_episodes(
        conversation_id=messages[0].conversation_id, segments=[ids], now=now
    )
    subject_id = messages[0].speaker_id
    if subject_id is None:
        raise RuntimeError("a captured message lost its speaker")
    run = proposals.begin_run(
        episode_id=episode_id,
        subject_id=subject_id,
        engine="bench",
        model="",
        prompt_version="1",
        cold_start=True,
        shown=[],
        now=now,
    )
    outcome = RunOutcome(
        predictions=(),
        gaps=tuple(SpanDraft(each.pk, 0, len(each.text), "unpredicted") for each in messages),
        covered=(),
        drafts=tuple(
            _draft(message, said=each, gap=place)
            for place, message, each in zip(itertools.count(), messages, said, strict=False)
        ),
    )
    proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=now)
    return list(Proposal.objects.filter(run=run).order_by("ordinal").values_list("pk", flat=True))


def _draft(message: Message, *, said: Said, gap: int) -> ProposalDraft:
    return ProposalDraft(
        text=said.text,
        about=said.about,
        evidence=(EvidenceDraft(message.pk, 0, len(message.text), message.text),),
        valid_from=said.at,
        confidence=0.9,
        surprise=1.0,
        attribute=said.attribute,
        value=said.value,
        gaps=(gap,),
    )
