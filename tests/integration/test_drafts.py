"""What a person was writing over a proposal is kept, and goes where it must."""

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection

from knowledge.commands import review
from knowledge.models import Proposal
from tests import factories, scenes
from tests.factories import NOW, actor, seen
from tests.forgetting import make_office, rows_holding
from workbench.commands import drafts
from workbench.models import Draft
from workbench.queries.drafts import draft_of

pytestmark = pytest.mark.django_db

WRITTEN = "Ana cycles to work along the river"


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


def write(
    proposal: Proposal, *, by: int, text: str = WRITTEN, now: datetime = NOW
) -> datetime | None:
    """Write over a proposal's text, as the edit form saves it."""
    given = {"text": text, "about": proposal.about, "csrfmiddlewaretoken": "x", "next": "7"}
    return drafts.save(proposal_id=proposal.pk, given=given, version=1, by_id=by, now=now)


def test_what_was_written_last_is_kept_for_each_person(scene: scenes.Scene) -> None:
    other = factories.make_person(scene.space)
    write(scene.cycles, by=scene.curator.pk, text="First words")
    write(scene.cycles, by=scene.curator.pk, now=NOW + timedelta(seconds=9))
    write(scene.cycles, by=other.pk, text="Another's words")
    kept = draft_of(proposal_id=scene.cycles.pk, user_id=scene.curator.pk)
    assert kept is not None
    assert kept.fields == {"text": WRITTEN, "about": "Ana"}
    assert kept.saved_at == NOW + timedelta(seconds=9)
    assert Draft.objects.count() == 2


def test_what_says_the_same_as_the_card_is_no_draft(scene: scenes.Scene) -> None:
    write(scene.cycles, by=scene.curator.pk)
    assert write(scene.cycles, by=scene.curator.pk, text=scenes.CYCLES) is None
    assert not Draft.objects.exists()


def test_a_moved_day_alone_is_a_draft(scene: scenes.Scene) -> None:
    given = {"text": scenes.CYCLES, "valid_from": "2026-03-10", "was_from": "2026-03-09"}
    by = scene.curator.pk
    assert drafts.save(proposal_id=scene.cycles.pk, given=given, version=1, by_id=by, now=NOW)


def test_a_late_save_does_not_bring_back_what_the_person_decided(scene: scenes.Scene) -> None:
    factories.approve(scene.cycles, by=scene.curator)
    assert write(scene.cycles, by=scene.curator.pk) is None
    assert not Draft.objects.exists()


def test_a_draft_outlives_the_decision_of_somebody_else(scene: scenes.Scene) -> None:
    other = factories.make_person(scene.space)
    write(scene.cycles, by=scene.curator.pk)
    factories.approve(scene.cycles, by=other)
    assert write(scene.cycles, by=scene.curator.pk, text="Longer words") is not None


def test_a_character_the_database_cannot_hold_is_left_out(scene: scenes.Scene) -> None:
    write(scene.cycles, by=scene.curator.pk, text="Ana\x00 cycles")
    assert Draft.objects.get().fields["text"] == "Ana cycles"


def test_drafts_of_what_is_closed_expire_and_others_later(scene: scenes.Scene) -> None:
    other = factories.make_person(scene.space)
    write(scene.cycles, by=scene.curator.pk)
    write(scene.update, by=scene.curator.pk)
    review.reject(review=seen(scene.cycles), reason_code="misread", by=actor(other), now=NOW)
    assert drafts.sweep(now=NOW + timedelta(days=13)) == 0
    assert drafts.sweep(now=NOW + timedelta(days=15)) == 1
    assert Draft.objects.get().proposal_id == scene.update.pk
    assert drafts.sweep(now=NOW + timedelta(days=91)) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["subject", "conversation", "statement"])
def test_an_erasure_takes_the_words_of_drafts_along(kind: str) -> None:
    scene = scenes.atlas()
    office = make_office(scene.space)
    version = scene.desk.believe("Ana keeps a Zyxwombat at home")
    proposal = version.proposal
    write(proposal, by=scene.curator.pk, text="Ana keeps a Zyxwombat in the garden")
    Draft.objects.update(fields={"text": "Ana keeps a Zyxwombat in the garden"})
    elsewhere = factories.make_proposal(scene.space, "Ana likes animals")
    write(elsewhere, by=scene.curator.pk, text="Ana keeps a Zyxwombat at home, and likes it")
    assert elsewhere.run is not None
    target = {
        "subject": scene.desk.subject.pk,
        "conversation": proposal.evidence.get().message.conversation_id,
        "statement": version.statement_id,
    }[kind]
    office.erase(kind, target)
    assert not Draft.objects.exists()
    assert rows_holding("Zyxwombat") == {}


@pytest.mark.django_db(transaction=True)
def test_an_erasure_leaves_drafts_that_hold_nothing_of_it() -> None:
    scene = scenes.atlas()
    office = make_office(scene.space)
    version = scene.desk.believe("Ana keeps a Zyxwombat at home")
    write(scene.cycles, by=scene.curator.pk)
    manifest = office.erase("statement", version.statement_id)
    assert Draft.objects.get().fields["text"] == WRITTEN
    assert manifest is not None


def test_nothing_is_kept_over_what_was_erased(scene: scenes.Scene) -> None:
    office = make_office(scene.space)
    write(scene.cycles, by=scene.curator.pk)
    office.erase("subject", scene.desk.subject.pk)
    assert write(scene.cycles, by=scene.curator.pk, text="Still typing") is None
    assert not Draft.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_one_request_at_a_time_makes_something_of_a_draft() -> None:
    inside: list[str] = []
    entered, go = threading.Event(), threading.Event()

    def second() -> None:
        entered.wait(5)
        go.set()
        with drafts.one_at_a_time(proposal_id=1, by_id=1):
            inside.append("second")
        connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    with drafts.one_at_a_time(proposal_id=1, by_id=1):
        entered.set()
        go.wait(5)
        thread.join(0.3)
        inside.append("first")
    thread.join(5)
    assert inside == ["first", "second"]
