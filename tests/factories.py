"""State for tests, built through commands alone."""

import itertools
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User

from knowledge.commands import proposals, review, scope, sources
from knowledge.models import Message, Proposal, Role, Space, Subject, Version
from knowledge.results import (
    SYSTEM,
    WORKER,
    Actor,
    Decided,
    EvidenceDraft,
    NewMessage,
    ProposalDraft,
    Review,
    RunOutcome,
    SpanDraft,
    SubjectRef,
)
from knowledge.trust import WhatHappened

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
ANA = SubjectRef("user", "ana", "Ana")
_counter = itertools.count(1)


def utc(year: int, month: int = 1, day: int = 1, hour: int = 0) -> datetime:
    """Return an instant in UTC."""
    return datetime(year, month, day, hour, tzinfo=UTC)


def make_space(*, slug: str = "", zone: str = "UTC", evaluation: bool = False) -> Space:
    """Open a space."""
    slug = slug or f"space-{next(_counter)}"
    return scope.create_space(
        slug=slug,
        name=slug,
        by=SYSTEM,
        now=NOW - timedelta(days=4000),
        zone=zone,
        evaluation=evaluation,
    )


def make_person(space: Space, *, role: str = Role.CURATOR, name: str = "") -> User:
    """Make a user with a role in the space."""
    user = User.objects.create_user(name or f"{role}-{next(_counter)}")
    scope.add_membership(
        space_id=space.pk, user_id=user.pk, role=role, by=SYSTEM, now=NOW - timedelta(days=4000)
    )
    return user


def actor(user: User, *, channel: str = "web") -> Actor:
    """Name the person as who acts."""
    return Actor(kind="user", id=str(user.pk), channel=channel, user_id=user.pk)


def make_messages(
    space: Space, *texts: str, at: datetime = NOW, subject: SubjectRef = ANA, source: str = "test"
) -> list[Message]:
    """Capture a conversation of the subject, one message a minute."""
    new = [
        NewMessage(
            f"m{place}", subject.name, "user_message", text, at + timedelta(minutes=place), subject
        )
        for place, text in enumerate(texts)
    ]
    captured = sources.capture(
        space_id=space.pk,
        external_id=f"conversation-{next(_counter)}",
        source=source,
        messages=new,
        subjects=[subject],
        by=SYSTEM,
        now=NOW,
    )
    return list(Message.objects.filter(conversation_id=captured.conversation_id))


def draft_of(message: Message, text: str, **changes: object) -> ProposalDraft:
    """Draft a proposal that rests on a whole message."""
    evidence = (EvidenceDraft(message.pk, 0, len(message.text), message.text),)
    plain = ProposalDraft(
        text=text,
        about=message.speaker_name,
        evidence=evidence,
        valid_from=message.sent_at,
        confidence=0.9,
        surprise=1.0,
        gaps=(0,),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # a test names fields freely


def propose(message: Message, text: str, **changes: object) -> Proposal:
    """Run a message through an episode and a run into one proposal."""
    if message.episode_id is None:
        sources.open_episodes(
            conversation_id=message.conversation_id, segments=[[message.pk]], now=NOW
        )
        message.refresh_from_db()
    assert message.episode_id is not None and message.speaker_id is not None
    run = proposals.begin_run(
        episode_id=message.episode_id,
        subject_id=message.speaker_id,
        engine="test",
        model="",
        prompt_version=str(next(_counter)),
        cold_start=True,
        shown=[],
        now=NOW,
    )
    outcome = RunOutcome(
        predictions=(),
        gaps=(SpanDraft(message.pk, 0, len(message.text), "unpredicted"),),
        covered=(),
        drafts=(draft_of(message, text, **changes),),
    )
    proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)
    return Proposal.objects.get(run=run)


def make_proposal(
    space: Space, text: str, *, at: datetime = NOW, subject: SubjectRef = ANA, **changes: object
) -> Proposal:
    """Propose a statement said in a conversation of its own."""
    message = make_messages(space, text, at=at, subject=subject)[0]
    return propose(message, text, **changes)


def seen(proposal: Proposal, **changes: object) -> Review:
    """Look at the proposal as it stands now."""
    proposal.refresh_from_db()
    plain = Review(proposal.pk, proposal.version, uuid.uuid4())
    return replace(plain, **changes)  # type: ignore[arg-type]  # a test names fields freely


def approve(
    proposal: Proposal,
    *,
    by: User,
    happened: WhatHappened = WhatHappened.NEW,
    target: Version | None = None,
    changed_at: datetime | None = None,
) -> Decided:
    """Approve the proposal as seen now."""
    return review.approve(
        review=seen(proposal),
        happened=happened,
        by=actor(by),
        now=NOW,
        target_version_id=target.pk if target else None,
        changed_at=changed_at,
    )


@dataclass
class Desk:
    """A space with one curator at work in it."""

    space: Space
    curator: User
    decided: list[Decided] = field(default_factory=list)

    @property
    def subject(self) -> Subject:
        """The space's first subject."""
        return Subject.objects.filter(space=self.space).order_by("pk")[0]

    def believe(
        self,
        text: str,
        *,
        at: datetime = NOW,
        happened: WhatHappened = WhatHappened.NEW,
        target: Version | None = None,
        changed_at: datetime | None = None,
        subject: SubjectRef = ANA,
        **changes: object,
    ) -> Version:
        """Propose and approve a statement; the version it opened."""
        proposal = make_proposal(self.space, text, at=at, subject=subject, **changes)
        decided = approve(
            proposal, by=self.curator, happened=happened, target=target, changed_at=changed_at
        )
        self.decided.append(decided)
        assert decided.version_id is not None
        return Version.objects.get(pk=decided.version_id)


def make_desk(**changes: object) -> Desk:
    """Open a space and seat a curator."""
    space = make_space(**changes)  # type: ignore[arg-type]  # a test names fields freely
    return Desk(space=space, curator=make_person(space))
