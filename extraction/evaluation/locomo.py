"""Adapter for retrieval scripts over LoCoMo-like turns: ``factory(docs) -> search``.

Usable from outside of Django (``--system extraction.evaluation.locomo:factory``): it sets itself
up, and works in the database of ``WORKBENCH_HOME`` or ``DATABASE_URL`` in a space of its own.
"""

import os
from collections.abc import Callable, Mapping, Sequence
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

from extraction.evaluation.scratch import Scratch, open_scratch
from extraction.importers.wording import id_from_name
from knowledge.results import NewMessage, SubjectRef

Doc = Mapping[str, Any]
Hit = dict[str, Any]
Search = Callable[..., list[Hit]]


def factory(docs: Sequence[Doc]) -> Search:
    """Take the turns in, session by session, and return their search.

    **Shape**: a doc has id, text, speaker, session, recorded_at (ISO, taken as UTC).
    """
    prepare_database()
    scratch = open_scratch()
    take_in_sessions(scratch, docs)
    scratch.embed()
    return search_of(scratch)


@cache
def prepare_database() -> None:
    """Bring the tables up to date, once in a process."""
    call_command("migrate", verbosity=0, interactive=False)


def take_in_sessions(scratch: Scratch, docs: Sequence[Doc]) -> None:
    """Run each session through capture, pipeline and approval in its order."""
    for session, turns in groupby(docs, key=lambda doc: doc["session"]):
        said = list(turns)
        subjects = {doc["speaker"]: _subject(doc["speaker"]) for doc in said}
        scratch.take_in(
            external_id=f"session-{session}",
            messages=[_message(doc, subject=subjects[doc["speaker"]]) for doc in said],
            subjects=list(subjects.values()),
        )


def search_of(scratch: Scratch) -> Search:
    """Return a search whose ``as_of`` is when something was true."""

    def search(query: str, k: int, as_of: str | None = None) -> list[Hit]:
        """Without ``as_of`` the question looks back on everything that was ever approved."""
        found = scratch.ask(
            query,
            k=k,
            valid_at=_instant(as_of) if as_of else None,
            history=as_of is None,
        )
        return [
            {
                "text": item.found.text,
                "sources": list(dict.fromkeys(q.message_external_id for q in item.quotes)),
            }
            for item in found.items
        ]

    return search


def _subject(speaker: str) -> SubjectRef:
    return SubjectRef("user", id_from_name(speaker), speaker)


def _message(doc: Doc, *, subject: SubjectRef) -> NewMessage:
    return NewMessage(
        external_id=str(doc["id"]),
        speaker_name=doc["speaker"],
        kind="user_message",
        text=doc["text"],
        sent_at=_instant(doc["recorded_at"]),
        speaker=subject,
    )


def _instant(text: str) -> datetime:
    """Data sets name no zone; theirs is taken as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
