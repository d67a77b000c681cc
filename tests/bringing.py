"""Files that tests bring: kept as an upload is, read and imported as a worker does."""

import hashlib
import json
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from extraction import tasks
from extraction.importing import Choices
from extraction.uploads import commands, storage
from extraction.uploads.commands import Uploaded
from extraction.uploads.models import FileImport
from knowledge.models import Job, JobState, Space
from knowledge.results import SubjectRef
from tests.factories import actor

ANA = SubjectRef("user", "ana", "Ana")
AT = "2026-03-02T10:{:02}:00Z"


def chat(key: str, *texts: str, **fields: Any) -> dict[str, Any]:
    """Make a conversation as OpenAI chats have it: each text and an answer to it."""
    messages: list[dict[str, Any]] = []
    for text in texts:
        messages.append(
            {"role": "user", "content": text, "created_at": AT.format(len(messages)), **fields}
        )
        messages.append(
            {"role": "assistant", "content": "I see.", "created_at": AT.format(len(messages))}
        )
    return {"id": key, "messages": messages}


def lines(*items: object) -> bytes:
    """Write each item as a line of JSON, a text as it stands."""
    texts = [item if isinstance(item, str) else json.dumps(item) for item in items]
    return ("\n".join(texts) + "\n").encode()


def upload(
    space: Space,
    content: bytes,
    *,
    by: User,
    name: str = "chat.jsonl",
    choices: Choices | None = None,
    now: datetime | None = None,
) -> FileImport:
    """Keep a file as the page does, not yet read."""
    path = storage.new_file(storage.fit_name(name))
    path.write_bytes(content)
    key = commands.record(
        space_id=space.pk,
        file=Uploaded(
            path.name, storage.folder_of(path), len(content), hashlib.sha256(content).hexdigest()
        ),
        choices=choices or Choices(),
        form_id=uuid.uuid4(),
        by=actor(by),
        now=now or timezone.now(),
    )
    return FileImport.objects.get(pk=key)


def work(*kinds: str) -> None:
    """Do the jobs that are due, of these kinds or all, until none is."""
    while True:
        due = Job.objects.filter(state=JobState.QUEUED, run_after__lte=timezone.now())
        ids = list((due.filter(kind__in=kinds) if kinds else due).values_list("pk", flat=True))
        if not ids:
            return
        for job_id in ids:
            tasks.run_one(job_id)


def looked_at(space: Space, content: bytes, *, by: User, **more: Any) -> FileImport:
    """Keep a file and have it read for its preview."""
    row = upload(space, content, by=by, **more)
    work("read_upload")
    row.refresh_from_db()
    return row


def imported(row: FileImport, *, by: User) -> FileImport:
    """Confirm a file that was looked at and have it imported."""
    commands.confirm(import_id=row.pk, space_id=row.space_id, by=actor(by), now=timezone.now())
    work("import_upload")
    row.refresh_from_db()
    return row


def paths_below(folder: str) -> Sequence[Path]:
    """List what lies in the uploads, as files."""
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())
