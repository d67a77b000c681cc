"""Conversations with more than one thing in them, for the episode's page."""

from dataclasses import dataclass
from datetime import timedelta

from knowledge.commands import proposals, sources
from knowledge.models import Message, Proposal, Space
from knowledge.results import (
    SYSTEM,
    WORKER,
    NewMessage,
    ProposalDraft,
    RunOutcome,
    SubjectRef,
)
from tests.factories import ANA
from tests.scenes import NOW, SAID_AT, begin, quote, span

BEN = SubjectRef("user", "ben", "Ben")
KITCHEN = (
    (ANA, "We finally chose the kitchen: oak fronts, and I want the hob on the island."),
    (None, "Lovely. Shall I note the budget as well?"),
    (ANA, "Yes, nine thousand at most. And I can’t stand the smell of fish, so a strong hood."),
    (
        BEN,
        "I cook on Sundays, so please keep the gas hob 🔥. My sister Mia measures it on 20 March.",
    ),
)
LATER = (
    (ANA, "Back to the kitchen: we go with induction after all, Ben agreed."),
    (None, "Noted."),
    (ANA, "And the fitter comes on Tuesdays only."),
)


@dataclass
class Talk:
    """A conversation in two parts with two subjects. **Shape**: in the order of the words."""

    conversation_id: int
    episode_id: int
    later_id: int
    messages: list[Message]
    proposals: list[Proposal]

    @property
    def texts(self) -> list[str]:
        """Return what waits, in the order of the words."""
        return [row.text for row in self.proposals]


def kitchen(space: Space) -> Talk:
    """Capture the talk about a kitchen, read in two parts, and propose from it for both people."""
    conversation_id = _say(space, KITCHEN, start=0)
    messages = list(Message.objects.filter(conversation_id=conversation_id).order_by("ordinal"))
    sources.open_episodes(
        conversation_id=conversation_id, segments=[[row.pk for row in messages]], now=NOW
    )
    _say(space, LATER, start=len(KITCHEN))
    more = list(
        Message.objects.filter(conversation_id=conversation_id, episode=None).order_by("ordinal")
    )
    sources.open_episodes(
        conversation_id=conversation_id,
        segments=[[row.pk for row in more]],
        now=NOW + timedelta(days=1),
        continuing=[more[0].pk],
    )
    rows = list(Message.objects.filter(conversation_id=conversation_id).order_by("ordinal"))
    made = [*_for_ana(rows[:4]), *_for_ben(rows[3:4]), *_for_ana_later(rows[4:])]
    first, last = rows[0].episode_id, rows[-1].episode_id
    assert first is not None and last is not None
    return Talk(conversation_id, first, last, rows, made)


def _say(space: Space, said: tuple[tuple[SubjectRef | None, str], ...], *, start: int) -> int:
    return sources.capture(
        space_id=space.pk,
        external_id="kitchen",
        source="test",
        title="The new kitchen",
        messages=[
            NewMessage(
                external_id=f"k{start + place}",
                speaker_name=speaker.name if speaker else "Assistant",
                kind="user_message" if speaker else "agent_message",
                text=text,
                sent_at=SAID_AT + timedelta(minutes=start + place),
                speaker=speaker,
            )
            for place, (speaker, text) in enumerate(said)
        ],
        subjects=[ANA, BEN],
        by=SYSTEM,
        now=NOW,
    ).conversation_id


def draft(message: Message, text: str, words: str, **changes: object) -> ProposalDraft:
    """Draft a statement on some words of a message."""
    given: dict[str, object] = {
        "text": text,
        "about": message.speaker_name,
        "evidence": (quote(message, words),),
        "valid_from": message.sent_at,
        "confidence": 0.8,
        "surprise": 1.0,
    }
    return ProposalDraft(**(given | changes))  # type: ignore[arg-type]  # a scene names fields freely


def _for_ana(rows: list[Message]) -> list[Proposal]:
    first, _, third, _ = rows
    spans = (
        span(first, "oak fronts", kind="unpredicted"),
        span(first, "I want the hob on the island", kind="unpredicted"),
        span(third, "nine thousand at most", kind="unpredicted"),
        span(third, "I can’t stand the smell of fish", kind="unpredicted"),
        span(third, "so a strong hood", kind="unpredicted"),
    )
    drafts = (
        draft(first, "Ana wants oak fronts in her new kitchen", "oak fronts", gaps=(0,)),
        draft(first, "Ana wants the hob on the kitchen island", "the hob on the island", gaps=(1,)),
        draft(third, "Ana’s kitchen may cost nine thousand at most", "nine thousand at most",
              gaps=(2,), flags=("money",)),
        draft(third, "Ana cannot stand the smell of fish", "I can’t stand the smell of fish",
              gaps=(3,)),
    )  # fmt: skip
    return _record(begin(rows, shown=[]), RunOutcome((), spans, (), drafts))


def _for_ben(rows: list[Message]) -> list[Proposal]:
    (said,) = rows
    spans = (
        span(said, "I cook on Sundays", kind="unpredicted"),
        span(said, "My sister Mia measures it on 20 March", kind="unpredicted"),
    )
    drafts = (
        draft(said, "Ben cooks on Sundays", "I cook on Sundays", gaps=(0,)),
        draft(said, "Ben’s sister Mia measures the kitchen on 20 March",
              "My sister Mia measures it on 20 March", gaps=(1,), about="Mia",
              flags=("third_party",)),
    )  # fmt: skip
    return _record(begin(rows, shown=[]), RunOutcome((), spans, (), drafts))


def _for_ana_later(rows: list[Message]) -> list[Proposal]:
    spans = (
        span(rows[0], "we go with induction after all", kind="unpredicted"),
        span(rows[2], "the fitter comes on Tuesdays only", kind="unpredicted"),
    )
    drafts = (
        draft(rows[0], "Ana’s new kitchen gets an induction hob",
              "we go with induction after all", gaps=(0,)),
        draft(rows[2], "The fitter of Ana’s kitchen comes on Tuesdays only",
              "the fitter comes on Tuesdays only", gaps=(1,)),
    )  # fmt: skip
    return _record(begin(rows, shown=[]), RunOutcome((), spans, (), drafts))


def _record(run_id: int, outcome: RunOutcome) -> list[Proposal]:
    proposals.record_run(run_id=run_id, outcome=outcome, by=WORKER, now=NOW)
    return list(Proposal.objects.filter(run_id=run_id).order_by("ordinal"))
