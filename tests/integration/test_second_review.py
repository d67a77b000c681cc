"""What a second person meets: who was first, what may be pressed, and what is refused."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from knowledge.commands import governing, reshaping, undoing
from knowledge.models import Decision, Proposal, Role, Version
from knowledge.queries import review as cards
from knowledge.queries.decisions import UNDOABLE
from knowledge.trust import WhatHappened
from tests.factories import NOW, Desk, actor, approve, make_desk, make_person, make_proposal, seen
from workbench.pages.digest import digest_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    """A space in which every approval needs two people."""
    desk = make_desk()
    admin = actor(make_person(desk.space, role=Role.ADMIN))
    governing.set_policy(
        space_id=desk.space.pk, four_eyes="always", expire_after_days=None, by=admin, now=NOW
    )
    return desk


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def posted(proposal: Proposal, **more: Any) -> dict[str, Any]:
    """Fill a form as the card would."""
    proposal.refresh_from_db()
    return {"request_id": str(uuid.uuid4()), "version": proposal.version, **more}


def read(user: User, path: str) -> str:
    """Read a page as somebody."""
    answer = client(user).get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_first_approval_waits_and_the_second_persons_card_names_it(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    answer = client(desk.curator).post(
        f"/queue/{proposal.pk}/approve/", posted(proposal), follow=True
    )
    assert "Approved by you; waits for a second person: Ana likes tea" in answer.content.decode()
    assert not Version.objects.filter(space=desk.space).exists()

    second = make_person(desk.space)
    listed = read(second, "/queue/?tab=second")
    assert "1 awaiting a second review" in listed
    assert f"approved first by {desk.curator.username}" in listed
    card = read(second, f"/queue/{proposal.pk}/")
    assert f"{desk.curator.username} approved this first" in card
    assert "<b>as new</b>" in card
    assert "Send back" in card and 'id="approve-form"' in card
    assert 'data-action="defer"' not in card
    assert " checked" not in card
    answer = client(second).post(f"/queue/{proposal.pk}/approve/", posted(proposal))
    assert answer.status_code == 303
    assert Version.objects.get(space=desk.space).text == "Ana likes tea"


def test_the_first_and_a_contributor_are_told_before_they_try(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    approve(proposal, by=desk.curator)
    mine = read(desk.curator, f"/queue/{proposal.pk}/")
    assert "A second person must agree" in mine and "My decisions" in mine
    assert 'id="approve-form"' not in mine and "Send back" not in mine
    answer = client(desk.curator).post(f"/queue/{proposal.pk}/approve/", posted(proposal))
    assert answer.status_code == 403
    assert "A second person must agree" in answer.content.decode()

    whole = make_proposal(desk.space, "Ana likes tea and milk")
    hand = make_person(desk.space)
    reshaping.split(
        review=seen(whole), texts=["Ana likes tea", "Ana likes milk"], by=actor(hand), now=NOW
    )
    part = Proposal.objects.filter(split_from=whole).order_by("pk")[0]
    approve(part, by=desk.curator)
    assert 'id="approve-form"' not in read(hand, f"/queue/{part.pk}/")
    assert 'id="approve-form"' in read(make_person(desk.space), f"/queue/{part.pk}/")


def test_sending_back_needs_words_and_returns_it_to_the_queue(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    approve(proposal, by=desk.curator)
    second = client(make_person(desk.space))
    answer = second.post(f"/queue/{proposal.pk}/send-back/", posted(proposal))
    assert answer.status_code == 422
    assert "Say what is to be looked at again." in answer.content.decode()
    answer = second.post(
        f"/queue/{proposal.pk}/send-back/", posted(proposal, note="which tea?"), follow=True
    )
    assert "Sent back: Ana likes tea" in answer.content.decode()
    assert "which tea?" in read(desk.curator, f"/queue/{proposal.pk}/")
    proposal.refresh_from_db()
    assert proposal.state == "pending"


def test_an_edit_by_the_second_says_that_it_begins_anew_and_does(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tee")
    approve(proposal, by=desk.curator)
    second = make_person(desk.space)
    assert "begin the review by two anew" in read(second, f"/queue/{proposal.pk}/?edit=1")
    form = posted(
        proposal, text="Ana likes tea", about="Ana", memory_type="fact", criticality="normal",
        valid_from="2026-06-01", was_from="2026-06-01",
    )  # fmt: skip
    answer = client(second).post(f"/queue/{proposal.pk}/edit/", form, follow=True)
    assert "Approved by you; waits for a second person" in answer.content.decode()
    assert 'id="approve-form"' in read(desk.curator, f"/queue/{proposal.pk}/")


def test_my_decisions_offer_to_undo_a_first_approval(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    approve(proposal, by=desk.curator)
    page = read(desk.curator, "/queue/mine/")
    assert "Approved first" in page


def test_every_kind_the_screens_offer_to_undo_can_be_undone() -> None:
    assert UNDOABLE == undoing.UNDOABLE


# --- one person is enough here ---


def test_a_split_goes_on_with_its_first_part_and_keeps_words_that_were_refused() -> None:
    desk = make_desk()
    whole = make_proposal(desk.space, "Ana likes tea and plays the cello")
    curator = client(desk.curator)
    page = curator.get(f"/queue/{whole.pk}/?split=1").content.decode()
    assert page.count(">Ana likes tea and plays the cello</textarea>") == 2
    same = posted(whole, text_1="Ana likes tea", text_2="Ana likes tea")
    answer = curator.post(f"/queue/{whole.pk}/split/", same)
    assert answer.status_code == 422
    assert "each different" in answer.content.decode()
    assert answer.content.decode().count(">Ana likes tea</textarea>") == 2
    fit = posted(whole, text_1="Ana likes tea", text_2="Ana plays the cello")
    answer = curator.post(f"/queue/{whole.pk}/split/", fit)
    parts = Proposal.objects.filter(split_from=whole).order_by("pk")
    assert [part.text for part in parts] == ["Ana likes tea", "Ana plays the cello"]
    assert answer.headers["Location"] == f"/queue/{parts[0].pk}/"
    assert curator.post(f"/queue/{whole.pk}/split/", fit).status_code == 303
    assert parts.count() == 2


def test_a_card_is_joined_to_a_near_one_that_waits_unless_that_was_decided() -> None:
    desk = make_desk()
    kept = make_proposal(desk.space, "Ana likes green tea")
    repeats = make_proposal(desk.space, "Ana likes green tea a lot")
    curator = client(desk.curator)
    card = curator.get(f"/queue/{repeats.pk}/").content.decode()
    assert f'action="/queue/{repeats.pk}/same-waiting/"' in card
    form = posted(repeats, other=kept.pk)
    approve(kept, by=desk.curator)
    answer = curator.post(f"/queue/{repeats.pk}/same-waiting/", form)
    assert answer.status_code == 409
    assert "approved meanwhile" in answer.content.decode()
    third = make_proposal(desk.space, "Ana likes green tea very much")
    form = posted(repeats, other=third.pk)
    assert curator.post(f"/queue/{repeats.pk}/same-waiting/", form).status_code == 303
    repeats.refresh_from_db()
    assert (repeats.state, repeats.joined_to) == ("withdrawn", third)


def test_the_digest_is_of_what_was_shown_and_is_kept_with_the_decision() -> None:
    desk = make_desk()
    proposal = make_proposal(desk.space, "Ana likes tea")
    curator = client(desk.curator)
    card = cards.card(proposal.pk, space_id=desk.space.pk)
    assert card is not None
    digest = digest_of(card)
    page = curator.get(f"/queue/{proposal.pk}/").content.decode()
    assert f'name="card_digest" value="{digest}"' in page
    assert 'name="evidence_opened" value="on"' in page
    make_proposal(desk.space, "Ana likes tea, she says")
    other = cards.card(proposal.pk, space_id=desk.space.pk)
    assert other is not None and digest_of(other) != digest
    form = posted(
        proposal, card_digest=digest, evidence_opened="on", opened_at="2026-06-01T12:00:00+00:00"
    )
    curator.post(f"/queue/{proposal.pk}/approve/", form)
    decision = Decision.objects.get(proposal=proposal)
    assert (decision.card_digest, decision.evidence_opened) == (digest, True)
    assert decision.opened_at == NOW
    wrong = curator.post(f"/queue/{proposal.pk}/approve/", form | {"card_digest": "x"})
    assert wrong.status_code == 422


def test_the_second_says_for_themselves_what_happened(desk: Desk) -> None:
    old = make_proposal(desk.space, "Ana drinks tea", attribute="drink", value="tea")
    approve(old, by=desk.curator)
    second = make_person(desk.space)
    approve(old, by=second)
    target = Version.objects.current().get(space=desk.space)
    new = make_proposal(desk.space, "Ana drinks mate", kind="update", target_id=target.statement_id)
    approve(new, by=desk.curator, happened=WhatHappened.CHANGED, target=target)
    card = read(second, f"/queue/{new.pk}/")
    assert "<b>changed from a day</b>" in card
    assert card.count('type="radio"') == 4 and " checked" not in card
    bare = client(second).post(f"/queue/{new.pk}/approve/", posted(new, target_seen=target.pk))
    assert bare.status_code == 422
