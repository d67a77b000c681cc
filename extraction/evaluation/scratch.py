"""A scratch space: messages in through capture, decided about by rule, questions answered."""

import uuid
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Max
from django.utils import timezone

from extraction.embedding import embed_space
from extraction.evaluation.approving import ApprovedAll, Rule, as_suggested, decide_all
from extraction.evaluation.datasets import Turn
from extraction.evaluation.measures import Held
from extraction.importers.wording import id_from_name
from extraction.pipeline import Tools, default_tools, process_conversation
from knowledge.commands import scope, sources
from knowledge.models import Decision, Role, Subject
from knowledge.results import SYSTEM, Actor, NewMessage, SubjectRef
from knowledge.retrieval import Retrieval, retrieve

CURATOR = "evaluation-curator"
PERSONAL = "user_message"


@dataclass(frozen=True, slots=True)
class Scratch:
    """An evaluation space with a curator who decides by a rule."""

    space_id: int
    by: Actor
    tools: Tools
    rule: Rule = as_suggested

    def take_in(self, turns: Sequence[Turn]) -> ApprovedAll:
        """Capture one session, extract from it and decide about all of it."""
        subjects = {
            turn.speaker: SubjectRef("user", id_from_name(turn.speaker), turn.speaker)
            for turn in turns
            if turn.kind == PERSONAL
        }
        if not subjects:
            return ApprovedAll({}, {})
        captured = sources.capture(
            space_id=self.space_id,
            external_id=f"session-{turns[0].session}",
            source="evaluation",
            messages=[_message(turn, speaker=subjects.get(turn.speaker)) for turn in turns],
            subjects=list(subjects.values()),
            by=SYSTEM,
            now=timezone.now(),
        )
        process_conversation(captured.conversation_id, tools=self.tools)
        return decide_all(space_id=self.space_id, by=self.by, now=timezone.now(), rule=self.rule)

    def embed(self) -> int:
        """Embed what was approved, as the worker would, with the tools of this space."""
        return embed_space(space_id=self.space_id, embedder=self.tools.embedder)

    def ask(
        self,
        query: str,
        *,
        k: int,
        valid_at: datetime | None,
        history: bool,
        known_at: datetime | None = None,
    ) -> Retrieval:
        """Answer a question over every subject of the space."""
        subjects = Subject.objects.filter(space_id=self.space_id).values_list("pk", flat=True)
        return retrieve(
            space_id=self.space_id,
            subject_ids=list(subjects),
            query=query,
            query_vector=self.tools.embedder.embed_query(query),
            vector_model=self.tools.embedder.model_id,
            k=k,
            valid_at=valid_at,
            known_at=known_at,
            token_budget=None,
            types=(),
            history=history,
            now=timezone.now(),
        )


@dataclass(frozen=True, slots=True)
class Asking:
    """Puts questions to a scratch space.

    **Shape**: ``looks_back`` admits what has ended; otherwise a question is about ``ends_at``,
    the end of what was said. ``beliefs`` pairs, in order, when words were said with when they
    were decided about, so that "as known then" has an instant of belief.
    """

    scratch: Scratch
    looks_back: bool
    ends_at: datetime
    beliefs: tuple[tuple[datetime, datetime], ...]

    def search(self, query: str, k: int, as_of: datetime | None) -> list[Held]:
        """Find statements: now, or as true and as known at an instant of the conversation."""
        if as_of is None:
            found = self.scratch.ask(
                query,
                k=k,
                valid_at=None if self.looks_back else self.ends_at,
                history=self.looks_back,
            )
        else:
            known_at = self._known_at(as_of)
            if known_at is None:
                return []
            found = self.scratch.ask(query, k=k, valid_at=as_of, known_at=known_at, history=False)
        return [
            Held(
                item.found.text,
                tuple(dict.fromkeys(quote.message_external_id for quote in item.quotes)),
                item.found.statement_id,
            )
            for item in found.items
        ]

    def _known_at(self, as_of: datetime) -> datetime | None:
        """Give when the last words said by then had been decided about; None before any."""
        place = bisect_right([said for said, _ in self.beliefs], as_of)
        return self.beliefs[place - 1][1] if place else None


def asking(scratch: Scratch, *, looks_back: bool, ends_at: datetime) -> Asking:
    """Make ready to ask, once everything has been decided."""
    rows = (
        Decision.objects.filter(space_id=scratch.space_id, proposal__isnull=False)
        .annotate(said_at=Max("proposal__evidence__message__sent_at"))
        .exclude(said_at__isnull=True)
        .order_by("seq")
        .values_list("said_at", "at")
    )
    beliefs: list[tuple[datetime, datetime]] = []
    for said_at, at in rows:
        if at is None:  # the database stamps every decision
            continue
        # What was decided after later words is known only with them.
        latest = max(said_at, beliefs[-1][0]) if beliefs else said_at
        beliefs.append((latest, at))
    return Asking(scratch, looks_back, ends_at, tuple(beliefs))


def open_scratch(
    *, slug: str = "", tools: Tools | None = None, rule: Rule = as_suggested
) -> Scratch:
    """Open an evaluation space of its own, seating the curator in it."""
    now = timezone.now()
    slug = slug or f"evaluation-{uuid.uuid4().hex[:12]}"
    space = scope.create_space(slug=slug, name=slug, by=SYSTEM, now=now, evaluation=True)
    curator, is_new = User.objects.get_or_create(username=CURATOR)
    if is_new:
        curator.set_unusable_password()
        curator.save(update_fields=["password"])
    scope.add_membership(
        space_id=space.pk, user_id=curator.pk, role=Role.CURATOR, by=SYSTEM, now=now
    )
    by = Actor(kind="user", id=CURATOR, channel="command", user_id=curator.pk)
    return Scratch(space_id=space.pk, by=by, tools=tools or default_tools(), rule=rule)


def _message(turn: Turn, *, speaker: SubjectRef | None) -> NewMessage:
    return NewMessage(
        external_id=turn.id,
        speaker_name=turn.speaker,
        kind=turn.kind,
        text=turn.text,
        sent_at=turn.said_at,
        speaker=speaker if turn.kind == PERSONAL else None,
    )
