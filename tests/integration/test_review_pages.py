"""What the screens answer over HTTP: fragments, conflicts, replays, and who may."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from knowledge.commands import scope
from knowledge.models import Decision, Proposal
from knowledge.queries import review as cards
from knowledge.results import SYSTEM
from tests import factories, scenes
from workbench.access import seats_of
from workbench.pages.address import read_cursor, read_filter

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "work"}


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


def client(name: Any) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(name)
    return found


def posted(proposal: Proposal, **more: Any) -> dict[str, Any]:
    """Fill a form as the card would."""
    proposal.refresh_from_db()
    return {"request_id": str(uuid.uuid4()), "version": proposal.version, **more}


def test_one_address_gives_the_page_or_its_part(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    whole = rosa.get(f"/queue/{scene.update.pk}/")
    part = rosa.get(f"/queue/{scene.update.pk}/", headers=HTMX)
    assert b"<!doctype html>" in whole.content
    assert b"<!doctype html>" not in part.content
    assert scenes.NEW_JOB.encode() in part.content
    for answer in (whole, part):
        assert "HX-Request" in answer.headers["Vary"]
        assert "no-store" in answer.headers["Cache-Control"]


def test_a_history_restore_gets_the_whole_page(scene: scenes.Scene) -> None:
    headers = {**HTMX, "HX-History-Restore-Request": "true"}
    answer = client(scene.curator).get("/queue/", headers=headers)
    assert b"<!doctype html>" in answer.content


def test_a_replayed_form_decides_once(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    form = posted(scene.cycles)
    answers = [rosa.post(f"/queue/{scene.cycles.pk}/approve/", form) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert Decision.objects.filter(proposal=scene.cycles).count() == 1


def test_deciding_on_an_old_version_is_a_conflict_with_the_card_as_it_is(
    scene: scenes.Scene,
) -> None:
    rosa = client(scene.curator)
    form = posted(scene.cycles)
    rosa.post(f"/queue/{scene.cycles.pk}/reject/", {**posted(scene.cycles), "reason": "misread"})
    answer = rosa.post(f"/queue/{scene.cycles.pk}/approve/", form, headers=HTMX)
    assert answer.status_code == 409
    assert answer.headers["HX-Push-Url"] == "false"
    assert b"You rejected this just now: misread" in answer.content


@pytest.mark.parametrize(
    ("act", "fields", "said"),
    [
        ("approve", {"request_id": ""}, b"required"),
        ("reject", {"reason": "because"}, b"not one of the available choices"),
        ("reject", {"reason": "other"}, b"Say why, in a few words."),
        ("defer", {"until": "someday"}, b"not one of the available choices"),
        ("edit", {"text": ""}, b"required"),
        ("same", {"same_as": "x"}, b"whole number"),
    ],
)
def test_an_unsound_form_changes_nothing_and_says_why(
    scene: scenes.Scene, act: str, fields: dict[str, str], said: bytes
) -> None:
    form = {**posted(scene.cycles), **fields}
    answer = client(scene.curator).post(f"/queue/{scene.cycles.pk}/{act}/", form)
    assert answer.status_code == 422
    assert said in answer.content
    assert not Decision.objects.filter(proposal=scene.cycles).exists()


def test_a_change_without_a_choice_asks_for_it(scene: scenes.Scene) -> None:
    target = scene.update.target_seen_id
    form = posted(scene.update, target_seen=target)
    answer = client(scene.curator).post(f"/queue/{scene.update.pk}/approve/", form)
    assert answer.status_code == 422
    assert b"Say what happened to what was believed." in answer.content


def test_words_under_edit_survive_a_refusal(scene: scenes.Scene) -> None:
    form = posted(
        scene.cycles,
        text="Ana cycles",
        about="Ana",
        memory_type="fact",
        criticality="normal",
        valid_from="2026-03-09",
        valid_to="2026-03-01",
    )
    answer = client(scene.curator).post(f"/queue/{scene.cycles.pk}/edit/", form)
    assert answer.status_code == 422
    assert b"The end must come after the start." in answer.content
    assert b">Ana cycles</textarea>" in answer.content


def test_only_curators_decide(scene: scenes.Scene) -> None:
    ilse = client(scene.auditor)
    assert ilse.get(f"/queue/{scene.update.pk}/").status_code == 200
    answer = ilse.post(f"/queue/{scene.cycles.pk}/approve/", posted(scene.cycles))
    assert answer.status_code == 403
    assert b"Only curators decide" in answer.content


def test_items_of_other_spaces_are_not_there(scene: scenes.Scene) -> None:
    stranger = factories.make_desk()
    theirs = client(stranger.curator)
    run = scene.update.run
    assert run is not None
    statement = scene.update.target_id
    for path in (
        f"/queue/{scene.update.pk}/",
        f"/statements/{statement}/",
        f"/conversations/{run.episode.conversation_id}/",
        f"/runs/{run.pk}/",
        "/queue/?space=atlas",
    ):
        assert theirs.get(path).status_code == 404, path
    answer = theirs.post(f"/queue/{scene.cycles.pk}/approve/", posted(scene.cycles))
    assert answer.status_code == 404


def test_a_person_without_a_space_is_told_so(scene: scenes.Scene) -> None:
    nobody = type(scene.curator).objects.create_user("nobody")
    answer = client(nobody).get("/queue/")
    assert answer.status_code == 403
    assert b"You do not belong to any space yet" in answer.content


def test_nobody_sees_the_queue_without_logging_in(scene: scenes.Scene) -> None:
    assert Client().get("/queue/").headers["Location"] == "/login/?next=/queue/"
    answer = Client().get("/queue/", headers={**HTMX, "HX-Current-URL": "http://testserver/runs/"})
    assert answer.headers["HX-Redirect"] == "/login/?next=/runs/"


def test_an_item_of_another_space_of_mine_opens_there(scene: scenes.Scene) -> None:
    second = factories.make_space(slug="boreas")
    scope.add_membership(
        space_id=second.pk,
        user_id=scene.curator.pk,
        role="curator",
        by=SYSTEM,
        now=factories.NOW.replace(year=2020),
    )
    proposal = factories.make_proposal(second, "Boreas uses Go")
    answer = client(scene.curator).get(f"/queue/{proposal.pk}/")
    assert b"Space <b>boreas</b>" in answer.content
    assert len(seats_of(scene.curator, now=factories.NOW)) == 2


def test_a_card_costs_a_fixed_number_of_queries(scene: scenes.Scene) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert cards.card(scene.update.pk, space_id=scene.space.pk) is not None
        return len(asked)

    before = cost()
    scenes.crowd(scene)
    assert cost() == before <= 22


def test_the_card_shows_what_a_reviewer_must_see(scene: scenes.Scene) -> None:
    card = cards.card(scene.update.pk, space_id=scene.space.pk)
    assert card is not None and card.target is not None
    assert card.target.text == scenes.OLD_JOB
    assert [mark.tone for mark in card.words.marks] == ["this", "this", "elsewhere"]
    assert [expected.outcome for expected in card.expected] == [
        "said_otherwise",
        "confirmed",
        "not_mentioned",
    ]
    assert card.expected[0].gaps == (1, 2)
    assert [words.quote for words in card.words.expected] == ["still out of the Lisbon office"]
    assert card.siblings == 1


@pytest.mark.parametrize("cursor", ["", "x", "e30", "W10", "WzEsMiwzXQ", "%01", "W251bGwsIngiLDBd"])
def test_a_broken_cursor_is_the_beginning(scene: scenes.Scene, cursor: str) -> None:
    assert read_cursor(cursor, sort="risk") is None
    assert client(scene.curator).get(f"/queue/?after={cursor}").status_code == 200


def test_words_an_address_does_not_know_count_as_none() -> None:
    chosen = read_filter({"tab": "x", "sort": "y", "age": "z", "subject": "-1"})
    assert (chosen.tab, chosen.sort, chosen.age, chosen.subject) == ("pending", "risk", "", None)


def test_each_emptiness_has_its_own_words(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    assert b"The filters hide 2." in rosa.get("/queue/?kind=confirmation").content
    assert b"Nothing here." in rosa.get("/queue/?tab=deferred").content
    for proposal in (scene.cycles, scene.update):
        form = {**posted(proposal), "reason": "misread"}
        rosa.post(f"/queue/{proposal.pk}/reject/", form)
    assert b"Everything is decided." in rosa.get("/queue/").content
    fresh = factories.make_desk()
    assert b"Nothing was ever proposed here." in client(fresh.curator).get("/queue/").content


def test_only_staff_are_led_to_the_admin(scene: scenes.Scene) -> None:
    link = b'href="/admin/"'
    assert link not in client(scene.curator).get("/queue/").content
    scene.curator.is_staff = True
    scene.curator.save(update_fields=["is_staff"])
    assert link in client(scene.curator).get("/queue/").content


def test_a_statement_shows_its_lineage_and_a_conversation_its_uses(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    target = scene.update.target_seen_id
    form = posted(
        scene.update,
        target_seen=target,
        change="changed",
        changed_from="2026-03-02",
        offered_from="2026-03-02",
    )
    rosa.post(f"/queue/{scene.update.pk}/approve/", form)
    statement = rosa.get(f"/statements/{scene.update.target_id}/").content.decode()
    for words in ("lineage of 3 versions", "<ins>Northwind</ins>", "superseded", "believed, past"):
        assert words in statement
    run = scene.update.run
    assert run is not None
    conversation = rosa.get(f"/conversations/{run.episode.conversation_id}/").content.decode()
    assert f'href="/statements/{scene.update.target_id}/"' in conversation
    assert "became nothing" not in rosa.get(f"/runs/{run.pk}/").content.decode()
    assert scenes.NEW_JOB in rosa.get("/statements/?q=northwind").content.decode()
    assert (
        "Nothing believed here has those words." in rosa.get("/statements/?q=zz").content.decode()
    )
