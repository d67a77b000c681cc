"""A statement's page: who may end, restore, merge and settle, what conflicts say, and why."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from knowledge.commands import ending, governing
from knowledge.models import Contest, Decision, Role, Version
from knowledge.results import StatementReview
from knowledge.trust import WhatHappened
from tests.factories import NOW, Desk, actor, make_desk, make_person, make_proposal, utc

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "work"}
OFFERS = ("Retract", "Refute", "Same as…", "Restore", "This one is right")


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def posted(version: Version, **more: Any) -> dict[str, Any]:
    """Fill a form as the statement's page would."""
    return {"request_id": str(uuid.uuid4()), "version_id": version.pk, **more}


def page_of(version: Version, user: User) -> str:
    """Read a statement's page as somebody."""
    answer = client(user).get(f"/statements/{version.statement_id}/")
    assert answer.status_code == 200
    return answer.content.decode()


def believed(desk: Desk) -> list[str]:
    """List what is believed now."""
    rows = Version.objects.current().filter(space=desk.space).order_by("text")
    return [row.text for row in rows]


def contested(desk: Desk) -> tuple[Version, Version, Contest]:
    """Make two beliefs nobody could choose between."""
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso")
    new = desk.believe(
        "Ana works at Northwind", attribute="employer", value="Northwind",
        happened=WhatHappened.CANNOT_TELL, target=old,
    )  # fmt: skip
    return old, new, Contest.objects.get(space=desk.space)


@pytest.mark.parametrize(
    ("act", "reason", "said"),
    [("retract", "asked_to", "Retracted"), ("refute", "misread", "Refuted")],
)
def test_a_belief_is_ended_undone_ended_again_and_restored(
    desk: Desk, act: str, reason: str, said: str
) -> None:
    version = desk.believe("Ana likes tea")
    curator = client(desk.curator)
    path = f"/statements/{version.statement_id}/"
    answer = curator.post(f"{path}{act}/", posted(version, reason=reason), follow=True)
    page = answer.content.decode()
    assert f"{said}: Ana likes tea" in page
    decision = Decision.objects.get(statement=version.statement_id)
    assert decision.reason_code == reason
    assert f'action="/decisions/{decision.pk}/undo/"' in page
    assert believed(desk) == []
    mine = curator.get("/queue/mine/").content.decode()
    assert f'href="{path}"' in mine

    undone = curator.post(
        f"/decisions/{decision.pk}/undo/", {"request_id": str(uuid.uuid4())}, follow=True
    )
    assert undone.redirect_chain[-1][0] == path
    assert believed(desk) == ["Ana likes tea"]

    back = Version.objects.current().get(space=desk.space)
    curator.post(f"{path}{act}/", posted(back, reason="other", note="so"))
    page = page_of(back, desk.curator)
    assert page.count("Restore<") == 1
    answer = curator.post(f"{path}restore/", posted(back), follow=True)
    assert "Restored: Ana likes tea" in answer.content.decode()
    assert believed(desk) == ["Ana likes tea"]


def test_what_ended_meanwhile_is_a_conflict_that_says_by_whom(desk: Desk) -> None:
    version = desk.believe("Ana likes tea")
    form = posted(version, reason="not_true")
    look = StatementReview(version.pk, uuid.uuid4(), "asked_to")
    other = make_person(desk.space, name="bruno")
    ending.retract(review=look, by=actor(other), now=NOW)
    path = f"/statements/{version.statement_id}/refute/"
    answer = client(desk.curator).post(path, form, headers=HTMX)
    assert answer.status_code == 409
    assert b"<!doctype html>" not in answer.content
    assert "was retracted by bruno since you opened it" in answer.content.decode()


def test_an_unsound_form_a_stranger_version_and_a_replay(desk: Desk) -> None:
    version, other = desk.believe("Ana likes tea"), desk.believe("Ana plays the cello")
    curator = client(desk.curator)
    path = f"/statements/{version.statement_id}/retract/"
    for form in ({"reason": "mood"}, {"reason": "other"}, {"reason": "misread"}):
        assert curator.post(path, posted(version, **form)).status_code == 422
    assert curator.post(path, posted(other, reason="asked_to")).status_code == 404
    assert believed(desk) == ["Ana likes tea", "Ana plays the cello"]
    form = posted(version, reason="asked_to")
    assert [curator.post(path, form).status_code for _ in range(2)] == [303, 303]
    assert Decision.objects.filter(statement=version.statement_id).count() == 1


def test_a_statement_is_merged_into_a_near_one(desk: Desk) -> None:
    kept, same = desk.believe("Ana likes green tea"), desk.believe("Ana likes green tea a lot")
    curator = client(desk.curator)
    page = page_of(same, desk.curator)
    assert f'name="into" value="{kept.pk}"' in page
    answer = curator.post(
        f"/statements/{same.statement_id}/merge/", posted(same, into=kept.pk), follow=True
    )
    assert answer.redirect_chain[-1][0] == f"/statements/{kept.statement_id}/"
    page = answer.content.decode()
    assert "Merged: Ana likes green tea a lot" in page
    assert "<q>Ana likes green tea a lot</q>" in page
    assert believed(desk) == ["Ana likes green tea"]


@pytest.mark.parametrize(
    ("right", "left"),
    [
        ("old", ["Ana works at Contoso"]),
        ("new", ["Ana works at Northwind"]),
        ("both", ["Ana works at Contoso", "Ana works at Northwind"]),
    ],
)
def test_a_contest_is_shown_on_both_sides_and_settled_from_either(
    desk: Desk, right: str, left: list[str]
) -> None:
    old, new, contest = contested(desk)
    for side in (old, new):
        page = page_of(side, desk.curator)
        for words in ("This one is right", "The other is right", "Both may stand"):
            assert words in page
    chosen = {"old": old.pk, "new": new.pk, "both": "both"}[right]
    path = f"/statements/{new.statement_id}/contests/{contest.pk}/settle/"
    answer = client(desk.curator).post(path, posted(new, right=chosen), follow=True)
    assert "Settled" in answer.content.decode()
    assert believed(desk) == left
    for side in (old, new):
        assert "Nobody could tell" not in page_of(side, desk.curator)
    again = client(desk.curator).post(path, posted(new, right=chosen))
    assert again.status_code == 409
    assert "This contest was resolved meanwhile." in again.content.decode()


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.ADMIN, Role.PRIVACY])
def test_who_may_not_decide_sees_nothing_to_press_and_is_refused(desk: Desk, role: str) -> None:
    old, new, contest = contested(desk)
    gone = desk.believe("Ana likes tea")
    look = StatementReview(gone.pk, uuid.uuid4(), "asked_to")
    ending.retract(review=look, by=actor(desk.curator), now=NOW)
    person = make_person(desk.space, role=role)
    for version in (old, gone):
        page = page_of(version, person)
        assert not [offer for offer in OFFERS if f">{offer}<" in page]
    for act, form in (
        ("retract", posted(old, reason="asked_to")),
        ("refute", posted(old, reason="not_true")),
        ("merge", posted(old, into=new.pk)),
        (f"contests/{contest.pk}/settle", posted(old, right="both")),
    ):
        answer = client(person).post(f"/statements/{old.statement_id}/{act}/", form)
        assert answer.status_code == 403, act
    restore = client(person).post(f"/statements/{gone.statement_id}/restore/", posted(gone))
    assert restore.status_code == 403
    stranger = make_desk().curator
    for act in ("retract", "refute", "restore", "merge"):
        answer = client(stranger).post(f"/statements/{old.statement_id}/{act}/", posted(old))
        assert answer.status_code == 404, act


def test_an_older_period_of_a_lineage_can_be_chosen(desk: Desk) -> None:
    old = desk.believe("Ana works at Contoso", at=utc(2025), attribute="employer")
    new = desk.believe(
        "Ana works at Northwind", attribute="employer", happened=WhatHappened.CHANGED, target=old
    )
    remnant = Version.objects.current().get(text="Ana works at Contoso")
    assert remnant.statement_id == new.statement_id
    page = page_of(new, desk.curator)
    assert f"?version={remnant.pk}" in page
    answer = client(desk.curator).get(f"/statements/{new.statement_id}/?version={remnant.pk}")
    assert f'name="version_id" value="{remnant.pk}"' in answer.content.decode()


def test_the_page_says_why_it_is_believed(desk: Desk) -> None:
    admin = actor(make_person(desk.space, role=Role.ADMIN))
    governing.set_policy(
        space_id=desk.space.pk, four_eyes="sensitive", expire_after_days=None, by=admin, now=NOW
    )
    guideline = governing.set_guideline(
        space_id=desk.space.pk, markdown="Ask twice.", by=admin, now=NOW
    )
    proposal = make_proposal(desk.space, "Ana likes tea", unexpected=("tea",))
    curator = client(desk.curator)
    form = {
        "request_id": str(uuid.uuid4()),
        "version": proposal.version,
        "card_digest": "a" * 64,
        "evidence_opened": "on",
        "opened_at": "2026-06-01T12:00:00+00:00",
    }
    curator.post(f"/queue/{proposal.pk}/approve/", form)
    version = Version.objects.get(space=desk.space)
    page = page_of(version, desk.curator)
    for words in (
        "<q>Ana likes tea</q>",
        "not expected: tea",
        "the engine said .90",
        "Card opened 1 Jun 2026 12:00",
        "with the words on it",
        f"#guideline-{guideline.pk}",
        "Second person: flagged",
        "a" * 64,
    ):
        assert words in page, words
    by_command = desk.believe("Ana plays the cello")
    assert "Decided without opening a card" in page_of(by_command, desk.curator)


def test_a_page_costs_as_much_for_a_long_lineage_as_for_a_short_one(desk: Desk) -> None:
    def cost(version: Version) -> int:
        with CaptureQueriesContext(connection) as asked:
            page_of(version, desk.curator)
        return len(asked)

    old, new, _ = contested(desk)
    before = cost(old)
    for number in range(4):
        desk.believe(
            f"Ana says {number} that she works at Contoso",
            happened=WhatHappened.CONFIRMATION, target=old,
        )  # fmt: skip
        desk.believe(
            f"Ana is {number} near Fabrikam", happened=WhatHappened.CANNOT_TELL, target=old
        )
    assert cost(old) == before
    assert page_of(new, desk.curator).count("Nobody could tell") == 1


def test_a_contest_is_settled_only_on_the_pages_of_its_sides(desk: Desk) -> None:
    old, _, contest = contested(desk)
    third = desk.believe("Ana likes tea")
    path = f"/statements/{third.statement_id}/contests/{contest.pk}/settle/"
    curator = client(desk.curator)
    assert curator.post(path, posted(third, right=old.pk)).status_code == 404
    assert curator.post(path, posted(old, right=old.pk)).status_code == 404
    assert Contest.objects.get(space=desk.space).resolved_by is None
