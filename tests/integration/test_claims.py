"""Who has which card open: for ten minutes, for others to see, and no further."""

from datetime import timedelta
from uuid import uuid4

import pytest

from tests import factories, scenes
from tests.factories import NOW
from workbench.commands import claims
from workbench.models import Claim
from workbench.queries.claims import held_by_others

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


def held(scene: scenes.Scene, *, minutes: float = 0, by: int = 0) -> dict[int, str]:
    """Return what others than ``by`` have open some minutes later."""
    now = NOW + timedelta(minutes=minutes)
    found = held_by_others(space_id=scene.space.pk, user_id=by, now=now)
    return {pk: claim.by for pk, claim in found.items()}


def open_card(scene: scenes.Scene, proposal_id: int, *, minutes: float = 0, by: int = 0) -> None:
    """Open a card some minutes later."""
    claims.claim(
        proposal_id=proposal_id,
        space_id=scene.space.pk,
        by_id=by or scene.curator.pk,
        page=uuid4(),
        now=NOW + timedelta(minutes=minutes),
    )


def test_others_see_it_for_ten_minutes_and_oneself_never(scene: scenes.Scene) -> None:
    open_card(scene, scene.cycles.pk)
    assert held(scene) == {scene.cycles.pk: "rosa"}
    assert held(scene, minutes=9.9) == {scene.cycles.pk: "rosa"}
    assert held(scene, minutes=10) == {}
    assert held(scene, by=scene.curator.pk) == {}


def test_looking_on_renews_it_and_keeps_when_it_began(scene: scenes.Scene) -> None:
    open_card(scene, scene.cycles.pk)
    open_card(scene, scene.cycles.pk, minutes=6)
    found = held_by_others(space_id=scene.space.pk, user_id=0, now=NOW + timedelta(minutes=12))
    assert found[scene.cycles.pk].since == NOW
    assert found[scene.cycles.pk].until == NOW + timedelta(minutes=16)


def test_a_claim_that_ran_out_begins_anew(scene: scenes.Scene) -> None:
    open_card(scene, scene.cycles.pk)
    open_card(scene, scene.cycles.pk, minutes=11)
    assert Claim.objects.get().since == NOW + timedelta(minutes=11)


def test_one_person_holds_one_card_of_a_space(scene: scenes.Scene) -> None:
    open_card(scene, scene.cycles.pk)
    open_card(scene, scene.update.pk, minutes=1)
    assert held(scene, minutes=1) == {scene.update.pk: "rosa"}


def test_of_two_people_the_first_to_open_it_is_named(scene: scenes.Scene) -> None:
    other = factories.make_person(scene.space, name="ana-maria")
    open_card(scene, scene.cycles.pk)
    open_card(scene, scene.cycles.pk, minutes=1, by=other.pk)
    assert held(scene, minutes=1) == {scene.cycles.pk: "rosa"}


def test_an_older_page_that_is_left_does_not_end_the_claim_of_a_newer(
    scene: scenes.Scene,
) -> None:
    older = uuid4()
    by, pk = scene.curator.pk, scene.cycles.pk
    claims.claim(proposal_id=pk, space_id=scene.space.pk, by_id=by, page=older, now=NOW)
    open_card(scene, pk)
    claims.release(proposal_id=pk, by_id=by, page=older)
    assert held(scene) == {pk: "rosa"}
    claims.release(proposal_id=pk, by_id=by)
    assert held(scene) == {}


def test_other_spaces_do_not_see_it(scene: scenes.Scene) -> None:
    open_card(scene, scene.cycles.pk)
    other = factories.make_space()
    assert held_by_others(space_id=other.pk, user_id=0, now=NOW) == {}
