"""What a card says of proposals like it: how many were kept, and what became of them."""

import re
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from knowledge.commands import review, undoing
from knowledge.models import Proposal
from knowledge.queries import record
from knowledge.queries.record import Outcomes, Record, track_record
from knowledge.results import Edits
from knowledge.trust import WhatHappened
from tests import scenes, talks
from tests.factories import NOW, actor, approve, seen

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


@pytest.fixture
def left(scene: scenes.Scene) -> Proposal:
    """What is left of a talk of which two were kept, one edited, one undone, one rejected."""
    rows = talks.kitchen(scene.space).proposals
    rosa = scene.curator
    approve(rows[0], by=rosa)
    approve(rows[1], by=rosa)
    review.approve(
        review=seen(rows[2], note="a budget"),
        happened=WhatHappened.NEW,
        by=actor(rosa),
        now=NOW,
        edits=Edits(text="Ana’s kitchen may cost nine thousand"),
    )
    gone = approve(rows[3], by=rosa)
    undoing.undo(decision_id=gone.decision_id, request_id=uuid.uuid4(), by=actor(rosa), now=NOW)
    review.reject(review=seen(rows[4]), reason_code="misread", by=actor(rosa), now=NOW)
    return rows[5]


def record_of(proposal: Proposal, *, days: int = 0) -> Record:
    """Read the record as of today, or of so many days later."""
    now = timezone.now() + timedelta(days=days)
    found = track_record(proposal.pk, space_id=proposal.space_id, now=now)
    assert found is not None
    return found


def test_kept_is_told_apart_by_what_became_of_it(left: Proposal) -> None:
    expected = Outcomes(decided=5, kept=4, unchanged=2, edited=1, undone=1)
    assert record_of(left).like_this == expected
    assert record_of(left).like_this.rejected == 1


def test_other_kinds_and_older_decisions_do_not_count(scene: scenes.Scene, left: Proposal) -> None:
    assert record_of(scene.update).like_this == Outcomes(0, 0, 0, 0, 0)
    assert record_of(left, days=91).like_this == Outcomes(0, 0, 0, 0, 0)


def test_the_card_says_it_in_a_sentence_with_the_numbers_behind(
    scene: scenes.Scene, left: Proposal
) -> None:
    rosa = Client()
    rosa.force_login(scene.curator)
    page = re.sub(r"<[^>]+>", " ", rosa.get(f"/queue/{left.pk}/").content.decode())
    text = " ".join(page.split())
    assert (
        "Of 4 kept of late from this engine, prompt and kind 2 stood unchanged, "
        "1 was edited, 1 undone or found wrong." in text
    )
    assert "The numbers" in text and "all from test" in text


def test_only_the_latest_decisions_are_looked_at(
    left: Proposal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "LOOKED_AT", 2)
    # The last two: one approved and undone, one rejected.
    assert record_of(left).like_this == Outcomes(decided=2, kept=1, unchanged=0, edited=0, undone=1)
