"""Scenes for the screens: a small space as a curator would meet it, built through commands."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User

from knowledge.commands import proposals, sources
from knowledge.models import Message, Proposal, Role, Space, Version
from knowledge.results import (
    SYSTEM,
    WORKER,
    EvidenceDraft,
    NewMessage,
    PredictionDraft,
    ProposalDraft,
    RunOutcome,
    SpanDraft,
    SubjectRef,
)
from tests.factories import ANA, Desk, make_person, make_proposal, make_space

PASSWORD = "correct horse battery staple"
SAID_AT = datetime(2026, 3, 9, 18, 2, tzinfo=UTC)
NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
ATLAS = SubjectRef("project", "atlas", "Atlas")

OLD_JOB = "Ana works at Contoso as a data analyst"
NEW_JOB = "Ana works at Northwind as a data engineer"
CYCLES = "Ana cycles to work, which takes twelve minutes"
FIRST = "Quick news: I started at Northwind last Monday, still out of the Lisbon office."
ASKED = "Congratulations! Are you still an analyst there?"
ANSWER = "No, data engineer now. And I cycle to work, it takes twelve minutes 🚲"


@dataclass
class Scene:
    """A space with people, beliefs and what waits."""

    desk: Desk
    curator: User
    auditor: User
    update: Proposal
    cycles: Proposal

    @property
    def space(self) -> Space:
        """The scene's space."""
        return self.desk.space


def person(space: Space, name: str, role: str) -> User:
    """Make a user who can log in."""
    user = make_person(space, role=role, name=name)
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


def atlas(slug: str = "atlas") -> Scene:
    """Set the scene of the review card: Ana changed her job."""
    space = make_space(slug=slug, zone="Europe/Lisbon")
    curator = person(space, "rosa", Role.CURATOR)
    auditor = person(space, "ilse", Role.AUDITOR)
    desk = Desk(space=space, curator=curator)
    then = datetime(2024, 9, 1, tzinfo=UTC)
    old = desk.believe(OLD_JOB, at=then, attribute="employer", value="Contoso")
    lisbon = desk.believe("Ana works from the Lisbon office", at=then)
    april = desk.believe("Ana runs a marathon every April", at=then)
    update, cycles = _news(space, old=old, lisbon=lisbon, april=april)
    return Scene(desk=desk, curator=curator, auditor=auditor, update=update, cycles=cycles)


def _news(
    space: Space, *, old: Version, lisbon: Version, april: Version
) -> tuple[Proposal, Proposal]:
    messages = conversation(
        space, (ANA, FIRST), (None, ASKED), (ANA, ANSWER), title="News from Ana"
    )
    first, _, answer = messages
    run = begin(messages, shown=[f"statement:{row.statement_id}" for row in (old, lisbon, april)])
    gaps = (
        span(first, "I started at Northwind last Monday", kind="contradicts", predicted=0),
        span(answer, "data engineer now", kind="refines", predicted=0),
        span(answer, "I cycle to work, it takes twelve minutes", kind="unpredicted"),
    )
    started = SAID_AT - timedelta(days=7, hours=18, minutes=2)
    drafts = (
        ProposalDraft(
            text=NEW_JOB,
            about="Ana",
            evidence=(quote(first, "I started at Northwind last Monday"),),
            valid_from=started,
            start_basis="stated",
            date_phrase="last Monday",
            confidence=0.88,
            surprise=0.5,
            attribute="employer",
            value="Northwind",
            kind="update",
            target_id=old.statement_id,
            unexpected=("Northwind", "engineer"),
            gaps=(0, 1),
        ),
        ProposalDraft(
            text=CYCLES,
            about="Ana",
            evidence=(quote(answer, "I cycle to work, it takes twelve minutes"),),
            valid_from=SAID_AT,
            confidence=0.81,
            surprise=1.0,
            unexpected=("cycle", "twelve", "minutes"),
            gaps=(2,),
        ),
    )
    outcome = RunOutcome(
        predictions=(
            PredictionDraft(
                "Ana talks about her work at Contoso",
                (f"statement:{old.statement_id}",),
                "said_otherwise",
            ),
            PredictionDraft(
                "She mentions the Lisbon office", (f"statement:{lisbon.statement_id}",), "confirmed"
            ),
            PredictionDraft(
                "She asks about the marathon in April",
                (f"statement:{april.statement_id}",),
                "not_mentioned",
            ),
        ),
        gaps=gaps,
        covered=(span(first, "still out of the Lisbon office", predicted=1),),
        drafts=drafts,
        duration_ms=212,
    )
    proposals.record_run(run_id=run, outcome=outcome, by=WORKER, now=NOW - timedelta(days=2))
    made = Proposal.objects.filter(run_id=run).order_by("ordinal")
    return made[0], made[1]


def crowd(scene: Scene) -> dict[str, Proposal]:
    """Add what else a queue holds: every kind, flag and script."""
    space = scene.space
    allergy = scene.desk.believe(
        "Ana is allergic to peanuts", at=datetime(2025, 5, 1, tzinfo=UTC), attribute="allergy"
    )
    office = Version.objects.get(space=space, text="Ana works from the Lisbon office")
    return {
        "allergy": make_proposal(
            space,
            "Ana’s allergy is to cashews, not to peanuts",
            kind="contradiction",
            target_id=allergy.statement_id,
            flags=("special_category", "not_from_subject"),
            confidence=0.52,
            attribute="allergy",
        ),
        "money": make_proposal(
            space,
            "Atlas pays invoices from the Lisbon account from 1 July 2026",
            subject=ATLAS,
            flags=("money", "future_date"),
            confidence=0.74,
            valid_from=datetime(2026, 7, 1, tzinfo=UTC),
            start_basis="stated",
            date_phrase="1 July 2026",
        ),
        "brother": make_proposal(
            space,
            "Ana’s brother Tomás prefers to be called in the evening",
            about="Tomás",
            flags=("third_party",),
        ),
        "pnpm": make_proposal(space, "Atlas uses pnpm for every package", subject=ATLAS),
        "chinese": make_proposal(space, "安娜住在里斯本，喜欢喝绿茶", language="zh"),
        "arabic": make_proposal(space, "أنا تعمل آنا من لشبونة كل يوم اثنين", language="ar"),
        "hidden": make_proposal(
            space, "Pay\u200b the in\u202evoice\u202c to Ana", flags=("hidden_characters",)
        ),
        "again": make_proposal(
            space,
            "Ana works from Lisbon",
            kind="confirmation",
            target_id=office.statement_id,
        ),
        "aside": make_proposal(
            space,
            "If I moved to Paris I would rent near the river",
            aside_reason="not_asserted",
            modality="hypothetical",
            confidence=0.4,
        ),
        "markup": make_proposal(
            space, "Ana writes <b>bold</b> & <script>alert(1)</script> in HTML"
        ),
    }


def conversation(
    space: Space, *said: tuple[SubjectRef | None, str], title: str = "", at: datetime = SAID_AT
) -> list[Message]:
    """Capture a talk between the subject and an assistant."""
    captured = sources.capture(
        space_id=space.pk,
        external_id=f"{title}-{at.isoformat()}-{len(said)}",
        source="test",
        title=title,
        messages=[
            NewMessage(
                external_id=f"m{place}",
                speaker_name=speaker.name if speaker else "Assistant",
                kind="user_message" if speaker else "agent_message",
                text=text,
                sent_at=at + timedelta(seconds=20 * place),
                speaker=speaker,
            )
            for place, (speaker, text) in enumerate(said)
        ],
        subjects=[ANA],
        by=SYSTEM,
        now=NOW,
    )
    rows = list(
        Message.objects.filter(conversation_id=captured.conversation_id).order_by("ordinal")
    )
    sources.open_episodes(
        conversation_id=captured.conversation_id, segments=[[row.pk for row in rows]], now=NOW
    )
    return list(
        Message.objects.filter(conversation_id=captured.conversation_id).order_by("ordinal")
    )


def begin(messages: list[Message], *, shown: list[str]) -> int:
    """Open a run over the messages' episode and return its id."""
    first = messages[0]
    assert first.episode_id is not None and first.speaker_id is not None
    run = proposals.begin_run(
        episode_id=first.episode_id,
        subject_id=first.speaker_id,
        engine="local",
        model="",
        prompt_version="predict-3",
        cold_start=not shown,
        shown=shown,
        now=NOW,
    )
    return run.pk


def quote(message: Message, words: str) -> EvidenceDraft:
    """Quote words of a message at their place."""
    start = message.text.index(words)
    return EvidenceDraft(message.pk, start, start + len(words), words)


def span(
    message: Message, words: str, *, kind: str = "", predicted: int | None = None
) -> SpanDraft:
    """Name the place of words in a message."""
    start = message.text.index(words)
    return SpanDraft(message.pk, start, start + len(words), kind, predicted)
