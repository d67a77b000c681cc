"""A scratch space: messages in through capture, everything approved, questions answered."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from extraction.embedding import embed_space
from extraction.evaluation.approving import ApprovedAll, approve_all
from extraction.pipeline import Tools, default_tools, process_conversation
from knowledge.commands import scope, sources
from knowledge.models import Role, Subject
from knowledge.results import SYSTEM, Actor, NewMessage, SubjectRef
from knowledge.retrieval import Retrieval, retrieve

CURATOR = "evaluation-curator"


@dataclass(frozen=True, slots=True)
class Scratch:
    """An evaluation space with a curator who approves everything."""

    space_id: int
    by: Actor
    tools: Tools

    def take_in(
        self,
        *,
        external_id: str,
        messages: Sequence[NewMessage],
        subjects: Sequence[SubjectRef],
    ) -> ApprovedAll:
        """Capture one conversation, extract from it and approve all of it."""
        captured = sources.capture(
            space_id=self.space_id,
            external_id=external_id,
            source="evaluation",
            messages=messages,
            subjects=subjects,
            by=SYSTEM,
            now=timezone.now(),
        )
        process_conversation(captured.conversation_id, tools=self.tools)
        return approve_all(space_id=self.space_id, by=self.by, now=timezone.now())

    def embed(self) -> int:
        """Embed what was approved, as the worker would."""
        return embed_space(space_id=self.space_id)

    def ask(self, query: str, *, k: int, valid_at: datetime | None, history: bool) -> Retrieval:
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
            known_at=None,
            token_budget=None,
            types=(),
            history=history,
            now=timezone.now(),
        )


def open_scratch(*, slug: str = "", tools: Tools | None = None) -> Scratch:
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
    return Scratch(space_id=space.pk, by=by, tools=tools or default_tools())
