"""Blind second reviews: by chance, by another person, without a sign of the first, on record."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.test import Client

from knowledge.commands import blind, governing, review, undoing
from knowledge.errors import Conflict, InvalidInput, NotAllowed, UndoRefused
from knowledge.models import AuditEvent, BlindAnswer, BlindDraw, Decision, Role, Version
from knowledge.models.guard_steps import GUARD_ERRCODE
from knowledge.queries.blind import agreement, blind_card, blind_count, blind_rows
from knowledge.results import Edits
from knowledge.trust import WhatHappened
from tests import factories, scenes
from tests.factories import NOW, actor, approve, make_person, make_proposal, seen
from tests.forgetting import make_office, rows_holding

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job; every decision is laid before a second reader."""
    scene = scenes.atlas()
    set_share(scene, 100)
    return scene


@pytest.fixture
def otto(scene: scenes.Scene) -> User:
    """A second curator."""
    return scenes.person(scene.space, "otto", Role.CURATOR)


def set_share(scene: scenes.Scene, share: int) -> None:
    """Set how many decisions are looked at twice."""
    governing.set_policy(
        space_id=scene.space.pk,
        four_eyes="never",
        expire_after_days=None,
        blind_share=share,
        by=actor(make_person(scene.space, role=Role.ADMIN)),
        now=NOW,
    )


def change(scene: scenes.Scene, **more: Any) -> BlindDraw:
    """Let the first curator approve the change of job; what was drawn with it."""
    decided = review.approve(
        review=seen(scene.update),
        happened=WhatHappened.CHANGED,
        by=actor(scene.curator),
        now=NOW,
        target_version_id=Version.objects.current().get(text=scenes.OLD_JOB).pk,
        **more,
    )
    return BlindDraw.objects.get(decision_id=decided.decision_id)


def say(draw: BlindDraw, by: User, **changes: Any) -> BlindAnswer:
    """Answer as somebody."""
    given: dict[str, Any] = {"verdict": "reject", "reason_code": "misread"}
    return blind.answer(
        draw_id=draw.pk, request_id=uuid.uuid4(), by=actor(by), now=NOW, **(given | changes)
    )


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def words_of(answer: Any) -> str:
    """Return a page as it reads, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def test_approvals_and_rejections_are_drawn_and_nothing_else(scene: scenes.Scene) -> None:
    change(scene)
    review.reject(
        review=seen(scene.cycles), reason_code="misread", by=actor(scene.curator), now=NOW
    )
    put_off = make_proposal(scene.space, "Ana keeps bees")
    review.defer(
        review=seen(put_off), until=NOW + timedelta(days=1), by=actor(scene.curator), now=NOW
    )
    kinds = BlindDraw.objects.order_by("pk").values_list("decision__kind", flat=True)
    assert list(kinds) == ["approve", "reject"]


def test_a_share_of_none_draws_none_and_evaluation_spaces_never(scene: scenes.Scene) -> None:
    set_share(scene, 0)
    approve(scene.cycles, by=scene.curator)
    assert not BlindDraw.objects.exists()
    space = factories.make_space(evaluation=True)
    person = make_person(space)
    governing.set_policy(
        space_id=space.pk, four_eyes="never", expire_after_days=None, blind_share=100,
        by=actor(make_person(space, role=Role.ADMIN)), now=NOW,
    )  # fmt: skip
    approve(make_proposal(space, "Ana keeps bees"), by=person)
    assert not BlindDraw.objects.exists()


def test_the_first_of_two_under_four_eyes_is_not_drawn(scene: scenes.Scene, otto: User) -> None:
    governing.set_policy(
        space_id=scene.space.pk, four_eyes="always", expire_after_days=None, blind_share=100,
        by=actor(make_person(scene.space, role=Role.ADMIN)), now=NOW,
    )  # fmt: skip
    approve(scene.cycles, by=scene.curator)
    approve(scene.cycles, by=otto)
    assert not BlindDraw.objects.exists()


@pytest.mark.parametrize("share", [-1, 101])
def test_a_share_outside_of_per_cent_is_refused(scene: scenes.Scene, share: int) -> None:
    with pytest.raises(InvalidInput, match="0 to 100"):
        set_share(scene, share)


def test_it_waits_for_others_and_never_for_who_decided_or_had_a_hand_in_it(
    scene: scenes.Scene, otto: User
) -> None:
    change(scene)
    waits = {
        user.get_username(): blind_count(space_id=scene.space.pk, user_id=user.pk)
        for user in (scene.curator, otto)
    }
    assert waits == {"rosa": 0, "otto": 1}
    scene.update.contributors.add(otto)
    assert blind_count(space_id=scene.space.pk, user_id=otto.pk) == 0


def test_the_card_is_as_it_was_before_the_decision(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene, edits=Edits(text="Ana now works at Northwind"))
    found = blind_card(draw.pk, space_id=scene.space.pk, user_id=otto.pk)
    assert found is not None
    assert (found.text, found.state, found.decisions) == (scenes.NEW_JOB, "pending", ())
    assert found.target is not None and found.target.text == scenes.OLD_JOB
    assert found.target.believed and not found.target.moved
    assert [near.text for near in found.nearest if "Northwind" in near.text] == []
    rests = [rest.text for one in found.expected for rest in one.rests_on]
    assert scenes.OLD_JOB in rests and not any("Northwind" in text for text in rests)


def test_its_page_shows_no_sign_of_the_first(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene, edits=Edits(text="Ana now works at Northwind"))
    statement = Version.objects.current().get(text="Ana now works at Northwind").statement_id
    page = client(otto).get(f"/queue/blind/{draw.pk}/")
    assert page.status_code == 200
    text, raw = words_of(page), page.content.decode()
    assert scenes.NEW_JOB in text and "blind second review" in text
    assert "Ana now works" not in raw and "approved" not in text.lower()
    assert f"/statements/{statement}/" not in raw and f"/queue/{scene.update.pk}/" not in raw
    assert re.search(r"rosa", text) is None
    assert raw.count("checked") == 0


def test_the_tab_lists_it_as_blind_for_others_alone(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    theirs = client(otto).get("/queue/?tab=second")
    assert f"/queue/blind/{draw.pk}/" in theirs.content.decode()
    assert "Second review 1" in words_of(theirs) and " blind " in words_of(theirs)
    own = client(scene.curator).get("/queue/?tab=second")
    assert "/queue/blind/" not in own.content.decode()
    for user in (scene.curator, scene.auditor):
        assert client(user).get(f"/queue/blind/{draw.pk}/").status_code in (403, 404)


def test_an_answer_changes_nothing_believed_and_is_on_record(
    scene: scenes.Scene, otto: User
) -> None:
    draw = change(scene)
    before = list(Version.objects.order_by("pk").values())
    decisions = Decision.objects.count()
    say(draw, otto)
    assert list(Version.objects.order_by("pk").values()) == before
    assert Decision.objects.count() == decisions
    scene.update.refresh_from_db()
    assert scene.update.state == "approved"
    event = AuditEvent.objects.get(action="blind_review.answer")
    assert (event.object_id, event.reason_code) == (str(draw.pk), "misread")
    assert blind_rows(space_id=scene.space.pk, user_id=otto.pk) == ()


def test_only_another_curator_answers_and_only_once(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    for user in (scene.curator, scene.auditor):
        with pytest.raises(NotAllowed):
            say(draw, user)
    say(draw, otto)
    with pytest.raises(Conflict, match="answered already"):
        say(draw, scenes.person(scene.space, "pia", Role.CURATOR))


def test_a_replayed_answer_counts_once(scene: scenes.Scene, otto: User) -> None:
    draw, request_id = change(scene), uuid.uuid4()
    made = {
        blind.answer(
            draw_id=draw.pk, verdict="approve", reason_code="changed", request_id=request_id,
            by=actor(otto), now=NOW,
        ).pk
        for _ in range(2)
    }  # fmt: skip
    assert len(made) == 1


@pytest.mark.parametrize(
    ("verdict", "reason"), [("approve", "misread"), ("reject", "changed"), ("defer", "other")]
)
def test_an_answer_that_says_nothing_sound_is_refused(
    scene: scenes.Scene, otto: User, verdict: str, reason: str
) -> None:
    with pytest.raises(InvalidInput):
        say(change(scene), otto, verdict=verdict, reason_code=reason)


def test_what_was_undone_first_asks_nobody_any_more(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    undoing.undo(
        decision_id=draw.decision_id, request_id=uuid.uuid4(), by=actor(scene.curator), now=NOW
    )
    assert blind_count(space_id=scene.space.pk, user_id=otto.pk) == 0
    with pytest.raises(UndoRefused):
        say(draw, otto)


def test_an_answer_does_not_stand_in_the_way_of_undo(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    say(draw, otto)
    undoing.undo(
        decision_id=draw.decision_id, request_id=uuid.uuid4(), by=actor(scene.curator), now=NOW
    )
    scene.update.refresh_from_db()
    assert scene.update.state == "pending"


def test_agreement_is_counted_by_kind_and_by_reason(scene: scenes.Scene, otto: User) -> None:
    say(change(scene), otto, verdict="approve", reason_code="never_so")
    review.reject(
        review=seen(scene.cycles), reason_code="not_durable", by=actor(scene.curator), now=NOW
    )
    say(BlindDraw.objects.get(proposal=scene.cycles), otto, verdict="approve", reason_code="new")
    make = make_proposal(scene.space, "Ana keeps bees")
    approve(make, by=scene.curator)
    found = agreement(
        space_id=scene.space.pk, since=NOW - timedelta(days=1), until=NOW + timedelta(days=1)
    )
    assert (found.total.answered, found.total.agreed, found.total.same_reason) == (2, 1, 0)
    assert found.by_kind["new"].second_kept == 1 and found.by_kind["update"].both_kept == 1
    assert set(found.by_reason) == {"changed", "not_durable"}
    assert found.waiting == 1


def test_a_disagreement_is_shown_to_both_with_the_way_on(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    statement = Version.objects.current().get(text=scenes.NEW_JOB).statement_id
    told = client(otto).post(
        f"/queue/blind/{draw.pk}/answer/",
        {"request_id": str(uuid.uuid4()), "verdict": "reject", "reason": "misread"},
        follow=True,
    )
    assert "You see it differently from rosa" in words_of(told)
    for user in (scene.curator, otto):
        page = client(user).get(f"/queue/{scene.update.pk}/")
        assert "Two readers differ." in words_of(page)
        assert f'<a href="/statements/{statement}/">retract it</a>' in page.content.decode()
        assert "Two readers differ." in words_of(client(user).get(f"/statements/{statement}/"))
        assert "Differ" in words_of(client(user).get("/queue/mine/"))
    review.reject(
        review=seen(scene.cycles), reason_code="misread", by=actor(scene.curator), now=NOW
    )
    say(BlindDraw.objects.get(proposal=scene.cycles), otto, verdict="approve", reason_code="new")
    rejected = words_of(client(scene.curator).get(f"/queue/{scene.cycles.pk}/"))
    assert "Two readers differ." in rejected and "use Propose anyway" in rejected


def test_nobody_sees_the_second_review_before_it_was_answered(
    scene: scenes.Scene, otto: User
) -> None:
    change(scene)
    assert "readers" not in words_of(client(scene.curator).get(f"/queue/{scene.update.pk}/"))


def test_a_form_that_does_not_say_enough_comes_back(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    target = Version.objects.get(text=scenes.OLD_JOB, derived_from=None).pk
    for more in (
        {"verdict": "reject"},
        {"verdict": "same"},
        {"verdict": "approve", "target_seen": target},
        {},
    ):
        form = {"request_id": str(uuid.uuid4()), **more}
        answer = client(otto).post(f"/queue/blind/{draw.pk}/answer/", form)
        assert answer.status_code == 422
        assert b'role="alert"' in answer.content
    assert not BlindAnswer.objects.exists()


def test_erased_words_are_gone_from_it(scene: scenes.Scene, otto: User) -> None:
    draw = change(scene)
    run = scene.update.run
    assert run is not None
    make_office(scene.space).erase("conversation", run.episode.conversation_id)
    assert rows_holding("Northwind") == {}
    assert blind_count(space_id=scene.space.pk, user_id=otto.pk) == 0
    assert client(otto).get(f"/queue/blind/{draw.pk}/").status_code == 404


ATTACKS = {
    "a draw for a decision of long ago": (
        "INSERT INTO knowledge_blinddraw (space_id, decision_id, proposal_id, share) "
        "SELECT space_id, id, proposal_id, 5 FROM knowledge_decision d "
        "WHERE kind = 'approve' AND NOT EXISTS "
        "(SELECT 1 FROM knowledge_blinddraw b WHERE b.decision_id = d.id) LIMIT 1"
    ),
    "a draw taken away": "DELETE FROM knowledge_blinddraw",
    "a draw moved to another": "UPDATE knowledge_blinddraw SET share = 7",
    "an answer by the first": (
        "INSERT INTO knowledge_blindanswer "
        "(space_id, draw_id, by_id, verdict, reason_code, request_id, created_at) "
        "SELECT b.space_id, b.id, d.by_id, 'approve', 'new', gen_random_uuid(), now() "
        "FROM knowledge_blinddraw b JOIN knowledge_decision d ON d.id = b.decision_id "
        "WHERE NOT EXISTS (SELECT 1 FROM knowledge_blindanswer a WHERE a.draw_id = b.id) LIMIT 1"
    ),
    "an answer without its event": (
        "INSERT INTO knowledge_blindanswer "
        "(space_id, draw_id, by_id, verdict, reason_code, request_id, created_at) "
        "SELECT b.space_id, b.id, (SELECT id FROM auth_user WHERE username = 'otto'), "
        "'approve', 'new', gen_random_uuid(), now() FROM knowledge_blinddraw b "
        "WHERE NOT EXISTS (SELECT 1 FROM knowledge_blindanswer a WHERE a.draw_id = b.id) LIMIT 1; "
        "SET CONSTRAINTS ALL IMMEDIATE"
    ),
    "an answer rewritten": "UPDATE knowledge_blindanswer SET verdict = 'approve'",
    "an answer taken away": "DELETE FROM knowledge_blindanswer",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_database_keeps_chance_and_answers(transactional_db: None, attack: str) -> None:
    scene = scenes.atlas()
    set_share(scene, 100)
    otto = scenes.person(scene.space, "otto", Role.CURATOR)
    say(change(scene), otto)
    approve(scene.cycles, by=scene.curator)
    with (
        pytest.raises(DatabaseError) as refused,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(ATTACKS[attack])
    assert getattr(refused.value.__cause__, "sqlstate", "") == GUARD_ERRCODE
