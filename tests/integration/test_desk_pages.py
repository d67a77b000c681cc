"""Drafts, claims, lost races and the card fetched ahead of time, over HTTP."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from knowledge.commands import review
from knowledge.models import Decision, Proposal, Version
from knowledge.queries import targets
from knowledge.trust import WhatHappened
from tests import factories, scenes
from tests.factories import actor, seen
from workbench.models import Claim, Draft

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "work"}
MENDED = "Ana cycles to work along the river"


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


@pytest.fixture
def other(scene: scenes.Scene) -> User:
    """A second curator."""
    return scenes.person(scene.space, "ana-maria", "curator")


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def form_of(proposal: Proposal, **more: Any) -> dict[str, Any]:
    """Fill the edit form as the card shows it, and write over the text."""
    proposal.refresh_from_db()
    plain = {
        "request_id": str(uuid.uuid4()),
        "version": proposal.version,
        "text": MENDED,
        "about": proposal.about,
        "memory_type": proposal.memory_type,
        "criticality": proposal.criticality,
        "attribute": proposal.attribute,
        "value": proposal.value,
        "valid_from": "2026-03-09",
        "was_from": "2026-03-09",
        "last_quote": proposal.evidence.latest("pk").pk,
    }
    return plain | more


def path(proposal: Proposal, act: str = "") -> str:
    """Return the address of a card, or of an act on it."""
    return f"/queue/{proposal.pk}/{act and act + '/'}"


def text_of(answer: Any) -> str:
    """Return an answer as text."""
    assert isinstance(answer, HttpResponse)
    return answer.content.decode()


# --- drafts ---


def test_a_kept_draft_opens_with_the_card_also_elsewhere(scene: scenes.Scene) -> None:
    client(scene.curator).post(path(scene.cycles, "draft"), form_of(scene.cycles))
    page = text_of(client(scene.curator).get(path(scene.cycles)))
    assert f">{MENDED}</textarea>" in page
    assert "This is your draft of" in page
    assert "Discard draft" in page


def test_nobody_else_sees_a_draft(scene: scenes.Scene, other: User) -> None:
    client(scene.curator).post(path(scene.cycles, "draft"), form_of(scene.cycles))
    assert MENDED not in text_of(client(other).get(path(scene.cycles)))


def test_a_draft_can_be_left_closed_and_is_still_offered(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    rosa.post(path(scene.cycles, "draft"), form_of(scene.cycles))
    page = text_of(rosa.get(path(scene.cycles) + "?edit=no"))
    assert "</textarea>" not in page
    assert "Go on writing" in page
    assert MENDED in page


def test_discarding_a_draft_brings_the_card_back(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    rosa.post(path(scene.cycles, "draft"), form_of(scene.cycles))
    answer = rosa.post(path(scene.cycles, "draft/discard"))
    assert answer.headers["Location"] == path(scene.cycles)
    assert MENDED not in text_of(rosa.get(path(scene.cycles)))


def test_deciding_takes_the_draft_away_and_putting_off_does_not(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    for proposal in (scene.cycles, scene.update):
        rosa.post(path(proposal, "draft"), form_of(proposal))
    rosa.post(path(scene.cycles, "reject"), form_of(scene.cycles, reason="misread"))
    rosa.post(path(scene.update, "defer"), form_of(scene.update, until="tomorrow"))
    assert list(Draft.objects.values_list("proposal_id", flat=True)) == [scene.update.pk]


def test_a_refused_edit_is_kept(scene: scenes.Scene) -> None:
    form = form_of(scene.cycles, valid_to="2026-03-01")
    answer = client(scene.curator).post(path(scene.cycles, "edit"), form)
    assert answer.status_code == 422
    assert Draft.objects.get().fields["text"] == MENDED


def test_a_day_left_alone_stays_alone_when_the_draft_comes_back(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    form = form_of(scene.cycles, valid_from="2020-01-01", was_from="2020-01-01")
    rosa.post(path(scene.cycles, "draft"), form)
    assert 'name="valid_from" required value="2026-03-09"' in text_of(rosa.get(path(scene.cycles)))


def test_a_choice_comes_back_for_the_version_it_was_made_about_alone(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    target = scene.update.target_seen_id
    form = form_of(scene.update, change="never_so", target_seen=target)
    rosa.post(path(scene.update, "draft"), form)
    chosen = 'value="never_so" form="edit-form" data-action="never" required checked'
    assert chosen in text_of(rosa.get(path(scene.update)))
    rosa.post(path(scene.update, "draft"), {**form, "target_seen": 1})
    assert chosen not in text_of(rosa.get(path(scene.update)))


def test_whoever_only_reads_keeps_no_draft(scene: scenes.Scene) -> None:
    answer = client(scene.auditor).post(path(scene.cycles, "draft"), form_of(scene.cycles))
    assert answer.status_code == 403
    assert not Draft.objects.exists()


def test_an_address_to_post_to_leads_to_the_card(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    for act in ("approve", "edit", "reject", "draft", "draft/propose", "beat"):
        answer = rosa.get(path(scene.cycles, act) + "?kind=new")
        assert answer.headers["Location"] == path(scene.cycles) + "?kind=new"


# --- lost races ---


def lose(scene: scenes.Scene, other: User, **more: Any) -> Any:
    """Save an edit of what somebody else approved meanwhile."""
    form = form_of(scene.cycles, **more)
    factories.approve(scene.cycles, by=other)
    return client(scene.curator).post(path(scene.cycles, "edit"), form, headers=HTMX)


def test_a_lost_edit_keeps_the_words_and_offers_both_ways(scene: scenes.Scene, other: User) -> None:
    answer = lose(scene, other)
    page = text_of(answer)
    assert answer.status_code == 409
    assert "ana-maria approved this just now: as new" in page
    assert "Propose mine as an update" in page
    assert "Keep what ana-maria decided" in page
    assert re.search(r"<ins>[^<]*along[^<]*</ins>", page)
    assert "Save and approve" not in page


def test_the_offer_is_still_there_when_the_card_is_opened_again(
    scene: scenes.Scene, other: User
) -> None:
    lose(scene, other)
    page = text_of(client(scene.curator).get(path(scene.cycles)))
    assert "Propose mine as an update" in page


def test_mine_is_proposed_on_the_same_words_against_what_is_believed_now(
    scene: scenes.Scene, other: User
) -> None:
    lose(scene, other)
    answer = client(scene.curator).post(path(scene.cycles, "draft/propose"))
    made = Proposal.objects.get(text=MENDED)
    believed = Version.objects.current().get(text=scenes.CYCLES)
    assert answer.headers["Location"] == path(made)
    assert (made.state, made.kind_suggested) == ("pending", "update")
    assert (made.target_id, made.target_seen) == (believed.statement_id, believed)
    assert made.run_id is None
    assert made.valid_from == scene.cycles.valid_from
    spans = [
        set(row.evidence.values_list("message_id", "start", "end", "quote", "role"))
        for row in (made, scene.cycles)
    ]
    assert spans[0] == spans[1]
    assert list(made.contributors.all()) == [scene.curator]


def test_proposing_mine_twice_makes_one_proposal(scene: scenes.Scene, other: User) -> None:
    lose(scene, other)
    rosa = client(scene.curator)
    answers = [rosa.post(path(scene.cycles, "draft/propose")) for _ in range(2)]
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert Proposal.objects.filter(text=MENDED).count() == 1
    assert "Propose mine" not in text_of(rosa.get(path(scene.cycles)))


def test_mine_over_what_was_rejected_is_proposed_as_something_new(
    scene: scenes.Scene, other: User
) -> None:
    form = form_of(scene.cycles)
    review.reject(
        review=seen(scene.cycles), reason_code="misread", by=actor(other), now=factories.NOW
    )
    rosa = client(scene.curator)
    page = text_of(rosa.post(path(scene.cycles, "edit"), form))
    assert "Propose mine as an update" not in page
    assert "Propose mine" in page
    rosa.post(path(scene.cycles, "draft/propose"))
    assert Proposal.objects.get(text=MENDED).kind_suggested == "new"


def test_an_unsound_draft_is_not_proposed_and_stays(scene: scenes.Scene, other: User) -> None:
    lose(scene, other, attribute="Not A Key")
    rosa = client(scene.curator)
    answer = rosa.post(path(scene.cycles, "draft/propose"), follow=True)
    assert "Your draft is not complete." in text_of(answer)
    assert Draft.objects.get().fields["text"] == MENDED
    assert not Proposal.objects.filter(text=MENDED).exists()


def test_keeping_theirs_throws_mine_away_and_goes_on(scene: scenes.Scene, other: User) -> None:
    lose(scene, other)
    form = {"next": scene.update.pk}
    answer = client(scene.curator).post(path(scene.cycles, "draft/discard"), form)
    assert answer.headers["Location"] == path(scene.update)
    assert not Draft.objects.exists()


def test_words_that_joined_meanwhile_are_shown_before_a_decision_counts(
    scene: scenes.Scene,
) -> None:
    form = form_of(scene.cycles)
    message = factories.make_messages(scene.space, "I still cycle every day")[0]
    factories.propose(
        message, scenes.CYCLES, joined_to=scene.cycles.pk, aside_reason="near_duplicate"
    )
    answer = client(scene.curator).post(path(scene.cycles, "approve"), form)
    page = text_of(answer)
    assert answer.status_code == 409
    assert "The card changed while you read: 1 more quote" in page
    assert "I still cycle every day" in page
    assert not Decision.objects.filter(proposal=scene.cycles).exists()
    again = client(scene.curator).post(path(scene.cycles, "approve"), form_of(scene.cycles))
    assert again.status_code == 303


def test_a_choice_survives_more_words_and_not_another_target(scene: scenes.Scene) -> None:
    target = scene.update.target_seen_id
    form = form_of(scene.update, change="never_so", target_seen=target)
    message = factories.make_messages(scene.space, "I am at Northwind now")[0]
    factories.propose(
        message, scenes.NEW_JOB, joined_to=scene.update.pk, aside_reason="near_duplicate"
    )
    page = text_of(client(scene.curator).post(path(scene.update, "approve"), form))
    assert 'data-action="never" required checked' in page
    rival = factories.make_proposal(
        scene.space, "Ana works at Fabrikam", attribute="employer", value="Fabrikam"
    )
    old = Version.objects.current().get(text=scenes.OLD_JOB)
    factories.approve(rival, by=scene.curator, happened=WhatHappened.NEVER_SO, target=old)
    form = form_of(scene.update, change="never_so", target_seen=target)
    answer = client(scene.curator).post(path(scene.update, "approve"), form)
    assert answer.status_code == 409
    assert "What this would change has changed itself" in text_of(answer)
    assert "required checked" not in text_of(answer)


def test_a_closed_card_says_what_happened_and_offers_no_decision(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    rosa.post(path(scene.cycles, "approve"), form_of(scene.cycles))
    page = text_of(rosa.get(path(scene.cycles)))
    assert "You approved this just now: as new" in page
    assert 'id="approve-form"' not in page
    decision = Decision.objects.get(proposal=scene.cycles)
    assert f"/decisions/{decision.pk}/undo/" in page


# --- claims ---


def test_opening_a_card_shows_others_who_has_it(scene: scenes.Scene, other: User) -> None:
    client(scene.curator).get(path(scene.cycles))
    page = text_of(client(other).get("/queue/"))
    assert re.search(r"open with </span>rosa, now", page)
    assert "<b>rosa</b> has this open too" in text_of(client(other).get(path(scene.cycles)))
    assert "rosa, now" not in text_of(client(scene.curator).get("/queue/"))


@pytest.mark.parametrize(
    "headers", [{**HTMX, "X-Ahead": "1"}, {"Sec-Purpose": "prefetch"}], ids=["script", "browser"]
)
def test_a_card_fetched_ahead_is_nobodys(scene: scenes.Scene, headers: dict[str, str]) -> None:
    assert client(scene.curator).get(path(scene.cycles), headers=headers).status_code == 200
    assert not Claim.objects.exists()


def test_whoever_only_reads_claims_nothing(scene: scenes.Scene) -> None:
    client(scene.auditor).get(path(scene.cycles))
    assert not Claim.objects.exists()


def test_deciding_and_leaving_end_a_claim(scene: scenes.Scene) -> None:
    rosa = client(scene.curator)
    rosa.get(path(scene.cycles))
    rosa.post(path(scene.cycles, "approve"), form_of(scene.cycles))
    assert not Claim.objects.exists()
    rosa.get(path(scene.update))
    page = Claim.objects.get().page
    assert rosa.post(path(scene.update, "leave"), {"page": page}).status_code == 204
    assert not Claim.objects.exists()


def test_a_claim_forbids_nothing(scene: scenes.Scene, other: User) -> None:
    client(other).get(path(scene.cycles))
    client(scene.curator).post(path(scene.cycles, "approve"), form_of(scene.cycles))
    scene.cycles.refresh_from_db()
    assert scene.cycles.state == "approved"


def test_next_passes_over_what_others_have_open(scene: scenes.Scene, other: User) -> None:
    third = factories.make_proposal(scene.space, "Ana likes tea")
    rows = list(Proposal.objects.filter(state="pending").values_list("pk", flat=True))
    assert len(rows) == 3
    client(other).get(path(scene.cycles))
    page = text_of(client(scene.curator).get(path(scene.update)))
    assert f'name="next" value="{third.pk}"' in page
    client(other).get(path(third))
    form = form_of(scene.update, change="both_true", target_seen=scene.update.target_seen_id)
    answer = client(scene.curator).post(path(scene.update, "approve"), {**form, "next": third.pk})
    assert answer.headers["Location"].startswith(path(scene.cycles))


def test_a_queue_that_is_all_open_with_others_says_until_when(
    scene: scenes.Scene, other: User
) -> None:
    third = scenes.person(scene.space, "ben", "curator")
    client(other).get(path(scene.cycles))
    client(third).get(path(scene.update))
    page = text_of(client(scene.curator).get("/queue/"))
    assert re.search(r"2 open with others until \d\d:\d\d\.", page)
    assert "Open anyway" in page
    Claim.objects.update(
        since=timezone.now() - timedelta(hours=1), until=timezone.now() - timedelta(minutes=1)
    )
    assert "open with others" not in text_of(client(scene.curator).get("/queue/"))


def beat(user: User, proposal: Proposal, **more: Any) -> Any:
    """Say that a card is open, as its page does."""
    standing = targets.standing_of(proposal.pk, space_id=proposal.space_id)
    assert standing is not None
    plain = {"page": str(uuid.uuid4()), "stamp": standing.stamp, "last_quote": 1}
    return client(user).post(path(proposal, "beat"), plain | more, headers={"HX-Request": "true"})


def test_a_beat_renews_the_claim_and_brings_the_list(scene: scenes.Scene) -> None:
    answer = beat(scene.curator, scene.cycles)
    assert answer.status_code == 200
    assert Claim.objects.get().proposal_id == scene.cycles.pk
    assert scenes.NEW_JOB in text_of(answer)
    assert 'id="news" hidden' in text_of(answer)


def test_a_beat_tells_what_changed(scene: scenes.Scene, other: User) -> None:
    last = scene.cycles.evidence.latest("pk").pk
    message = factories.make_messages(scene.space, "I still cycle every day")[0]
    factories.propose(
        message, scenes.CYCLES, joined_to=scene.cycles.pk, aside_reason="near_duplicate"
    )
    news = text_of(beat(scene.curator, scene.cycles, stamp="1.0", last_quote=last))
    assert "The card changed: 1 more quote." in news
    assert "I still cycle every day" in news
    factories.approve(scene.cycles, by=other)
    news = text_of(beat(scene.curator, scene.cycles, stamp="2.0", last_quote=last + 9))
    assert "ana-maria approved this just now." in news


def test_a_beat_without_a_card_is_not_found(scene: scenes.Scene) -> None:
    answer = client(scene.curator).post("/queue/999999/beat/", {"page": str(uuid.uuid4())})
    assert answer.status_code == 404


# --- the card fetched ahead ---


def decide_with_ahead(scene: scenes.Scene, ahead: str) -> Any:
    """Reject one card with the other one at hand."""
    form = form_of(scene.cycles, reason="misread", next=scene.update.pk)
    headers = {**HTMX, "X-Ahead": ahead}
    return client(scene.curator).post(path(scene.cycles, "reject"), form, headers=headers)


def stamp(proposal: Proposal) -> str:
    """Return what a page compares a card by."""
    found = targets.standing_of(proposal.pk, space_id=proposal.space_id)
    assert found is not None
    return found.stamp


def test_a_card_at_hand_that_is_still_right_is_used(scene: scenes.Scene) -> None:
    answer = decide_with_ahead(scene, f"{scene.update.pk} {stamp(scene.update)}")
    assert answer.status_code == 200
    assert answer.headers["X-Ahead"] == str(scene.update.pk)
    assert answer.headers["HX-Push-Url"] == path(scene.update)
    page = text_of(answer)
    assert "Rejected: " in page and 'id="queue-count" hx-swap-oob="true">1<' in page
    assert "<h1" not in page


@pytest.mark.parametrize("ahead", ["{other} 1.0", "{pk} 99.99", "{pk}", "nonsense"])
def test_a_card_at_hand_that_is_something_else_is_fetched(scene: scenes.Scene, ahead: str) -> None:
    filled = ahead.format(pk=scene.update.pk, other=scene.cycles.pk)
    answer = decide_with_ahead(scene, filled)
    assert answer.status_code == 303
    assert answer.headers["Location"] == path(scene.update)


def test_the_card_a_browser_is_sent_on_to_is_opened_and_says_what_was_decided(
    scene: scenes.Scene,
) -> None:
    rosa = client(scene.curator)
    headers = {**HTMX, "X-Ahead": f"{scene.update.pk} 99.99"}  # repeated where it is sent on
    form = form_of(scene.cycles, reason="misread", next=scene.update.pk)
    sent_on = rosa.post(path(scene.cycles, "reject"), form, headers=headers)
    shown = text_of(rosa.get(sent_on.headers["Location"], headers=headers))
    assert "Rejected: " in shown
    assert Claim.objects.filter(proposal_id=scene.update.pk, user=scene.curator).exists()


def test_a_card_at_hand_says_how_it_stands_and_takes_no_messages_along(
    scene: scenes.Scene,
) -> None:
    rosa = client(scene.curator)
    rosa.post(path(scene.cycles, "defer"), form_of(scene.cycles, until="hour"))
    held = text_of(rosa.get(path(scene.update), headers={**HTMX, "X-Ahead": "1"}))
    assert f'data-card="{scene.update.pk}" data-stamp="{stamp(scene.update)}"' in held
    assert "Deferred: " not in held
    assert "Deferred: " in text_of(rosa.get(path(scene.update)))
