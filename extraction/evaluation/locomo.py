"""Adapter for retrieval scripts over turns: ``factory(docs) -> search``.

Usable from outside of Django (``--system extraction.evaluation.locomo:factory``): it sets itself
up, and works in the database of ``WORKBENCH_HOME`` or ``DATABASE_URL`` in a space of its own.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from typing import Any

import django
from django.apps import apps

if not apps.ready and not apps.loading:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()

from django.core.management import call_command  # after the set-up

from extraction.evaluation.datasets import Turn
from extraction.evaluation.scratch import PERSONAL, Asking, Scratch, asking, open_scratch

Doc = Mapping[str, Any]
Hit = dict[str, Any]
Search = Callable[..., list[Hit]]
ROLES = frozenset({"user", "assistant"})


def factory(docs: Sequence[Doc]) -> Search:
    """Take the turns in, session by session, and return their search.

    Two people who talk are asked what ever was; somebody who talks to an assistant, what holds.

    **Shape**: a doc has id, text, speaker, session, recorded_at (ISO, taken as UTC).
    """
    prepare_database()
    scratch = open_scratch()
    turns = [turn_of(doc) for doc in docs]
    take_in_sessions(scratch, turns)
    scratch.embed()
    is_chat = {doc["speaker"] for doc in docs} <= ROLES
    return search_of(
        asking(scratch, looks_back=not is_chat, ends_at=max(turn.said_at for turn in turns))
    )


@cache
def prepare_database() -> None:
    """Bring the tables up to date, once in a process."""
    call_command("migrate", verbosity=0, interactive=False)


def take_in_sessions(scratch: Scratch, turns: Iterable[Turn]) -> None:
    """Run each session through capture, pipeline and decisions in its order."""
    for _session, said in groupby(turns, key=lambda turn: turn.session):
        scratch.take_in(list(said))


def search_of(questions: Asking) -> Search:
    """Return a search as the scripts call it; ``as_of`` is a time of the conversation."""

    def search(query: str, k: int, as_of: str | None = None) -> list[Hit]:
        """Give texts with the turns they rest on, best first."""
        hits = questions.search(query, k, _instant(as_of) if as_of else None)
        return [{"text": hit.text, "sources": list(hit.sources)} for hit in hits]

    return search


def turn_of(doc: Doc) -> Turn:
    """Read one doc of the scripts; ``assistant`` is nobody's own words."""
    return Turn(
        id=str(doc["id"]),
        speaker=str(doc["speaker"]),
        kind="agent_message" if doc["speaker"] == "assistant" else PERSONAL,
        text=doc["text"],
        session=str(doc["session"]),
        said_at=_instant(doc["recorded_at"]),
    )


def _instant(text: str) -> datetime:
    """Data sets name no zone; theirs is taken as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
