"""Undo is free for fifteen minutes; then the way on is named, and leads there."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from knowledge.commands import review, undoing
from knowledge.errors import UndoTooLate
from knowledge.models import Decision, Version
from knowledge.results import Decided
from tests import scenes
from tests.factories import NOW, actor, approve, seen

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


def undo(scene: scenes.Scene, decided: Decided, *, minutes: float) -> Decided:
    """Undo so many minutes after the decision."""
    at = Decision.objects.get(pk=decided.decision_id).at
    assert at is not None
    return undoing.undo(
        decision_id=decided.decision_id,
        request_id=uuid.uuid4(),
        by=actor(scene.curator),
        now=at + timedelta(minutes=minutes),
    )


def test_it_is_free_up_to_fifteen_minutes(scene: scenes.Scene) -> None:
    undo(scene, approve(scene.cycles, by=scene.curator), minutes=15)
    scene.cycles.refresh_from_db()
    assert scene.cycles.state == "pending"


def test_afterwards_an_approval_is_retracted_instead(scene: scenes.Scene) -> None:
    decided = approve(scene.cycles, by=scene.curator)
    with pytest.raises(UndoTooLate, match="Retract the statement instead") as refused:
        undo(scene, decided, minutes=15.01)
    assert refused.value.details["statement_id"] == decided.statement_id
    assert Version.objects.current().filter(text=scenes.CYCLES).exists()


def test_afterwards_a_rejection_is_proposed_anyway(scene: scenes.Scene) -> None:
    decided = review.reject(
        review=seen(scene.cycles), reason_code="misread", by=actor(scene.curator), now=NOW
    )
    with pytest.raises(UndoTooLate, match="Propose anyway"):
        undo(scene, decided, minutes=16)


def test_the_screen_leads_to_the_statement_that_can_be_retracted(
    scene: scenes.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = approve(scene.cycles, by=scene.curator)
    at = Decision.objects.get(pk=decided.decision_id).at
    assert at is not None
    rosa = Client()
    rosa.force_login(scene.curator)
    late: Any = at + timedelta(minutes=20)
    monkeypatch.setattr("workbench.views.review.timezone.now", lambda: late)
    answer = rosa.post(
        f"/decisions/{decided.decision_id}/undo/", {"request_id": str(uuid.uuid4())}, follow=True
    )
    assert answer.redirect_chain[-1][0] == f"/statements/{decided.statement_id}/"
    text = answer.content.decode()
    assert "Undo is free for 15 minutes" in text and "/retract/" in text
