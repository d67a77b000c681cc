"""A rare word put wherever the product keeps words is in none of it once its subject is erased."""

import json
import uuid
from pathlib import Path

import pytest
from django.contrib.messages.storage.session import SessionStorage
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.http import HttpResponse
from django.test import RequestFactory
from django_q.models import Task

from extraction import forgetting, tasks
from knowledge.commands import ending, proposals, review, sources
from knowledge.models import (
    ErasureRequest,
    ExtractionRun,
    Job,
    Message,
    Proposal,
    Subject,
    Tombstone,
    Version,
)
from knowledge.queries import chain
from knowledge.results import (
    SYSTEM,
    WORKER,
    Edits,
    NewMessage,
    PredictionDraft,
    RunOutcome,
    SpanDraft,
    StatementReview,
    SubjectRef,
)
from tests.dumps import dump, restored
from tests.factories import NOW, Desk, actor, approve, draft_of, make_desk, seen
from tests.forgetting import Office, make_office, rows_holding
from workbench.commands import keys

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = "Zyxwombat"
WHOSE = SubjectRef("user", f"{CANARY}-41", f"{CANARY} Quill")
CHAT = {
    "messages": [
        {"role": "user", "content": f"I keep a {CANARY} in my garden in Porto."},
        {"role": "assistant", "content": f"What a fine {CANARY}!"},
        {"role": "user", "content": f"My {CANARY} is called Plum and I feed it at nine."},
    ]
}


@pytest.fixture
def desk() -> Desk:
    """A curator's desk, with another subject's belief that must survive."""
    desk = make_desk()
    desk.believe("Ben lives in Lisbon", subject=SubjectRef("user", "ben", "Ben"))
    return desk


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers."""
    return make_office(desk.space)


@pytest.fixture
def ledger(tmp_path: Path, settings: object) -> Path:
    """A ledger of erasures of its own."""
    path = tmp_path / "erasures.jsonl"
    settings.ERASURE_LEDGER = str(path)  # type: ignore[attr-defined]  # pytest-django's settings
    return path


def take_in(desk: Desk, file: Path) -> None:
    """Import a chat by command and let the real engine work on it."""
    file.write_text(json.dumps(CHAT) + "\n")
    call_command(
        "import", str(file), "--space", desk.space.slug, "--subject", str(WHOSE), "--name",
        WHOSE.name, "--wait", verbosity=0,
    )  # fmt: skip


def plant(desk: Desk, file: Path) -> Subject:
    """Put the word into everything that keeps words."""
    take_in(desk, file)
    subject = Subject.objects.get(external_id=WHOSE.external_id)
    curator = actor(desk.curator)
    waiting = list(Proposal.objects.filter(subject=subject, state="pending").order_by("pk"))
    assert len(waiting) >= 2
    review.edit(
        review=seen(waiting[0]), edits=Edits(text=f"The {CANARY} lives in Porto"), by=curator,
        now=NOW,
    )  # fmt: skip
    believed = Version.objects.get(pk=approve(waiting[0], by=desk.curator).version_id or 0)
    review.reject(
        review=seen(waiting[1], note=f"nobody keeps a {CANARY}"), reason_code="other", by=curator,
        now=NOW,
    )  # fmt: skip
    message = Message.objects.filter(speaker=subject).order_by("pk")[0]
    predicted_run(message, subject=subject)
    second = proposals.propose_by_hand(
        space_id=desk.space.pk, subject_id=subject.pk,
        draft=draft_of(message, f"Plum the {CANARY} is fed at nine", gaps=()), by=curator, now=NOW,
    )  # fmt: skip
    retracted = approve(Proposal.objects.get(pk=second), by=desk.curator)
    ending.retract(
        review=StatementReview(
            retracted.version_id or 0, uuid.uuid4(), "other", note=f"enough of the {CANARY}"
        ),
        by=curator, now=NOW,
    )  # fmt: skip
    failed_work(desk, message)
    keys.create_key(
        space_slug=desk.space.slug, name=f"agent of {WHOSE.name}", subjects=[WHOSE],
        scopes=["retrieve"], by=SYSTEM, now=NOW,
    )  # fmt: skip
    talk_in_a_session()
    assert believed.tx_to is None
    return subject


def predicted_run(message: Message, *, subject: Subject) -> None:
    """A run of another engine that expected the word, and found it said otherwise."""
    assert message.episode_id is not None
    run = proposals.begin_run(
        episode_id=message.episode_id, subject_id=subject.pk, engine="other", model="m",
        prompt_version="1", cold_start=False, shown=[], now=NOW,
    )  # fmt: skip
    outcome = RunOutcome(
        predictions=(PredictionDraft(f"keeps no {CANARY}", (), "said_otherwise"),),
        gaps=(SpanDraft(message.pk, 0, 8, "contradicts", 0),),
        covered=(),
        drafts=(),
    )
    proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)


def failed_work(desk: Desk, message: Message) -> None:
    """A model's answer in a run's error, and in the errors of jobs and of the queue."""
    assert message.episode_id is not None
    run = proposals.begin_run(
        episode_id=message.episode_id, subject_id=message.speaker_id or 0, engine="llm", model="m",
        prompt_version="1", cold_start=False, shown=[], now=NOW,
    )  # fmt: skip
    proposals.fail_run(run_id=run.pk, error=f'The model answered: "{CANARY}!" and no JSON.')
    Job.objects.create(
        space=desk.space, kind="embed_entries", key="broken", run_after=NOW, created_at=NOW,
        state="dead", error=f"The embedder refused: {CANARY}", finished_at=NOW,
    )  # fmt: skip
    Task.objects.create(
        id="t1", name="t1", func="extraction.tasks.run_job", started=NOW, stopped=NOW,
        success=False, result=f"Traceback … {CANARY}",
    )  # fmt: skip


def talk_in_a_session() -> None:
    """A page that still has to say what was decided."""
    request = RequestFactory().get("/")
    request.session = SessionStore()
    storage = SessionStorage(request)
    storage.add(25, f"Approved: {CANARY}")
    storage.update(HttpResponse())
    request.session["_auth_user_id"] = "1"
    request.session.save()


def faults() -> list[str]:
    return [str(fault) for one in chain.chains() for fault in chain.verify(one).faults]


def in_sessions() -> list[str]:
    return [json.dumps(row.get_decoded()) for row in Session.objects.all()]


def test_the_word_is_nowhere_and_the_log_holds(
    desk: Desk, office: Office, ledger: Path, tmp_path: Path
) -> None:
    subject = plant(desk, tmp_path / "chat.jsonl")
    before = rows_holding(CANARY)
    assert len(before) >= 12, before
    assert CANARY in dump(tmp_path / "before.sql").read_text()
    assert any(CANARY in text for text in in_sessions())

    scope = office.scope("subject", subject.pk)
    erasure_id = office.ask(scope, note=f"{CANARY} Quill wrote to us")
    office.confirm(erasure_id, scope)
    job = Job.objects.get(kind="erase")
    job.run_after = job.created_at
    job.save()
    assert tasks.run_job(job.pk) == "done"

    assert rows_holding(CANARY) == {}
    assert CANARY.lower() not in dump(tmp_path / "after.sql").read_text().lower()
    assert not any(CANARY in text for text in in_sessions())
    assert any("_auth_user_id" in text for text in in_sessions())
    assert CANARY.lower() not in ledger.read_text().lower()
    certificate = ErasureRequest.objects.get(pk=erasure_id).certificate
    assert certificate is not None and CANARY.lower() not in json.dumps(certificate).lower()
    assert faults() == []
    assert Version.objects.current().get().text == "Ben lives in Lisbon"


def test_a_fresh_import_of_the_same_conversation_is_blocked(
    desk: Desk, office: Office, ledger: Path, tmp_path: Path
) -> None:
    subject = plant(desk, tmp_path / "chat.jsonl")
    office.erase("subject", subject.pk)
    take_in(desk, tmp_path / "chat.jsonl")
    assert rows_holding(CANARY) == {}
    with pytest.raises(Exception, match="erased on"):
        sources.capture(
            space_id=desk.space.pk, external_id="elsewhere", source="api",
            messages=[NewMessage("1", WHOSE.name, "user_message", f"My {CANARY}!", NOW, WHOSE)],
            subjects=[WHOSE], by=SYSTEM, now=NOW,
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["subject", "conversation", "statement", "value"])
def test_a_restored_older_backup_is_clean_after_the_replay(
    desk: Desk, office: Office, ledger: Path, tmp_path: Path, kind: str
) -> None:
    subject = plant(desk, tmp_path / "chat.jsonl")
    targets = {
        "subject": subject.pk,
        "conversation": Message.objects.filter(speaker=subject)[0].conversation_id,
        "statement": Version.objects.filter(subject=subject, tx_to=None)[0].statement_id,
        "value": subject.pk,
    }
    backup = dump(tmp_path / "backup.sql")
    scope = office.scope(kind, targets[kind], words=CANARY if kind == "value" else "")
    erasure_id = office.ask(scope)
    office.confirm(erasure_id, scope)
    forgetting.carry_out(erasure_id)
    left = rows_holding(CANARY)
    stones = Tombstone.objects.count()

    with restored(backup):
        assert sum(rows_holding(CANARY).values()) > sum(left.values())
        call_command("replay_erasures", verbosity=0)
        assert rows_holding(CANARY) == left
        assert Tombstone.objects.count() == stones
        assert faults() == []
        call_command("replay_erasures", verbosity=0)
        assert ErasureRequest.objects.filter(state="done").count() == 1


def test_a_run_under_way_writes_nothing_of_what_was_erased_meanwhile(
    desk: Desk, office: Office, ledger: Path, tmp_path: Path
) -> None:
    take_in(desk, tmp_path / "chat.jsonl")
    subject = Subject.objects.get(external_id=WHOSE.external_id)
    message = Message.objects.filter(speaker=subject).order_by("pk")[0]
    assert message.episode_id is not None
    run = proposals.begin_run(
        episode_id=message.episode_id, subject_id=subject.pk, engine="slow", model="",
        prompt_version="1", cold_start=False, shown=[], now=NOW,
    )  # fmt: skip
    office.erase("subject", subject.pk)
    outcome = RunOutcome(
        predictions=(PredictionDraft(f"keeps a {CANARY}", (), "confirmed"),),
        gaps=(), covered=(), drafts=(),
    )  # fmt: skip
    with pytest.raises(Exception, match="erased meanwhile"):
        proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)
    proposals.fail_run(run_id=run.pk, error=f"{CANARY}")
    sources.describe_episode(
        episode_id=message.episode_id, title=CANARY, narrative=f"about a {CANARY}"
    )
    assert rows_holding(CANARY) == {}
    assert ExtractionRun.objects.get(pk=run.pk).state != "done"
