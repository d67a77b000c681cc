"""A data set goes through the real pipeline, and bulk approval stays in evaluation spaces."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from extraction.evaluation import locomo
from extraction.evaluation.approving import approve_all
from extraction.evaluation.scratch import asking, open_scratch
from knowledge.errors import NotAllowed
from knowledge.models import Proposal, Role, Space, Version
from knowledge.trust import TrustState
from tests.factories import NOW, actor, make_desk, make_person, make_proposal, make_space

pytestmark = pytest.mark.django_db

DOCS = [
    {
        "id": f"D{session}:{turn}",
        "text": text,
        "speaker": speaker,
        "session": session,
        "seq": session * 10 + turn,
        "recorded_at": f"2023-0{session}-01T10:0{turn}:00",
    }
    for session, turn, speaker, text in (
        (1, 1, "Mira", "I moved to Lisbon last year and I love the trams there."),
        (1, 2, "Tom", "I started pottery classes on Tuesdays, my bowls are crooked."),
        (5, 1, "Mira", "I adopted a greyhound called Biscuit."),
        (5, 2, "Tom", "I bought a kiln for my pottery."),
    )
]


@pytest.fixture(scope="module")
def search_docs() -> list[dict[str, Any]]:
    """The turns of two sessions."""
    return DOCS


def test_turns_come_back_as_approved_statements_with_their_ids(
    search_docs: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locomo, "prepare_database", lambda: None)

    search = locomo.factory(search_docs)

    hits = search("Which dog did Mira adopt?", 3)
    assert hits[0]["sources"] == ["D5:1"]
    assert "Biscuit" in hits[0]["text"]
    assert len(hits) <= 3
    known_then = {
        source
        for hit in search("Biscuit pottery Lisbon", 10, as_of="2023-03-01T00:00:00")
        for source in hit["sources"]
    }
    assert known_then
    assert not known_then & {"D5:1", "D5:2"}


def test_nothing_unapproved_is_found(search_docs: list[dict[str, Any]]) -> None:
    scratch = open_scratch()
    turns = [locomo.turn_of(doc) for doc in search_docs]
    locomo.take_in_sessions(scratch, turns)
    scratch.embed()
    approved = Proposal.objects.filter(space_id=scratch.space_id, state=TrustState.APPROVED)
    assert approved.exists()
    assert not Proposal.objects.filter(space_id=scratch.space_id, state=TrustState.PENDING).exists()
    texts = set(approved.values_list("text", flat=True))

    questions = asking(scratch, looks_back=True, ends_at=turns[-1].said_at)
    hits = locomo.search_of(questions)("pottery", 20)

    assert {hit["text"] for hit in hits} <= texts


def test_bulk_approval_is_refused_outside_of_evaluation_spaces() -> None:
    desk = make_desk()
    make_proposal(desk.space, "Ana likes tea")

    with pytest.raises(NotAllowed, match="made for evaluation"):
        approve_all(space_id=desk.space.pk, by=actor(desk.curator), now=NOW)
    with pytest.raises(NotAllowed):
        approve_all(space_id=0, by=actor(desk.curator), now=NOW)

    assert not Version.objects.exists()


def test_bulk_approval_needs_a_curator() -> None:
    space = make_space(evaluation=True)
    make_proposal(space, "Ana likes tea")
    auditor = make_person(space, role=Role.AUDITOR)

    done = approve_all(space_id=space.pk, by=actor(auditor), now=NOW)

    assert (done.approved, done.left) == ({}, {"not_allowed": 1})


def test_the_command_approves_everything_and_says_how_much() -> None:
    space = make_space(evaluation=True)
    curator = make_person(space)
    for text in ("Ana likes tea", "Ana owns a dog"):
        make_proposal(space, text)
    out = StringIO()

    call_command("approve_all", "--space", space.slug, "--by", curator.username, stdout=out)

    assert out.getvalue() == "2 approved (2 new).\n"
    assert Version.objects.current().filter(space=space).count() == 2


def test_an_update_ends_what_it_replaces_and_a_taken_slot_stands_beside() -> None:
    space = make_space(evaluation=True)
    curator = make_person(space)
    employer: dict[str, Any] = {"attribute": "employer"}
    make_proposal(space, "Ana works at Acme", value="Acme", **employer)
    approve_all(space_id=space.pk, by=actor(curator), now=NOW)
    old = Version.objects.get()
    make_proposal(
        space,
        "Ana works at Northwind",
        value="Northwind",
        kind="update",
        target_id=old.statement_id,
        valid_from=NOW.replace(year=2027),
        **employer,
    )
    make_proposal(space, "Ana works at Initech", value="Initech", **employer)

    done = approve_all(space_id=space.pk, by=actor(curator), now=NOW)

    assert done.approved == {"changed": 1, "both_true": 1}
    old.refresh_from_db()
    assert old.end_reason == "superseded"


@pytest.mark.parametrize(
    ("slug", "by", "words"),
    [("nowhere", "", "no space called nowhere"), ("", "nobody", "nobody called nobody")],
)
def test_the_command_says_what_is_wrong(slug: str, by: str, words: str) -> None:
    space = make_space(evaluation=True)
    curator = make_person(space)

    with pytest.raises(CommandError, match=words):
        call_command("approve_all", "--space", slug or space.slug, "--by", by or curator.username)


def test_the_command_is_refused_outside_of_evaluation_spaces() -> None:
    desk = make_desk()
    make_proposal(desk.space, "Ana likes tea")

    with pytest.raises(CommandError, match="made for evaluation"):
        call_command("approve_all", "--space", desk.space.slug, "--by", desk.curator.username)
    assert not Space.objects.get(pk=desk.space.pk).evaluation
