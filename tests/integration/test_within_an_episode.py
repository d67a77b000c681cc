"""Values that change within one episode: each proposal waits on the one it would replace."""

import pytest

from knowledge.models import Proposal
from knowledge.queries.targets import target_of
from knowledge.trust import TrustState
from tests.factories import Desk, approve, make_desk
from tests.integration.test_pipeline import capture, process, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def test_old_and_new_said_in_one_episode_wait_for_each_other(desk: Desk) -> None:
    first, between, last = (
        said("The average response time of our search API is 220 ms."),
        said("Noted.", by="Bot", kind="agent_message"),
        said("The average response time of our search API is now 180 ms."),
    )
    process(capture(desk.space, first, between, last))
    old, new = Proposal.objects.filter(space=desk.space, state=TrustState.PENDING).order_by("pk")
    assert (new.kind_suggested, new.waits_on) == ("update", old)
    assert "220" in new.reason

    approve(old, by=desk.curator)
    new.refresh_from_db()
    target = target_of(new)
    assert target is not None
    assert "220" in target.text


def test_of_three_values_in_one_episode_each_replaces_the_one_before(desk: Desk) -> None:
    desk.believe("Ana lives in Bern.", attribute="home_city", value="Bern")
    process(
        capture(desk.space, said("I moved to Ulm."), said("Last week I moved to Lisbon."), days=1)
    )
    ulm, lisbon = Proposal.objects.filter(space=desk.space, state=TrustState.PENDING).order_by("pk")
    assert ulm.target is not None
    assert (lisbon.kind_suggested, lisbon.waits_on) == ("update", ulm)


def test_two_values_in_one_breath_replace_nothing_of_each_other(desk: Desk) -> None:
    process(capture(desk.space, said("I have 150 commits merged. I have 165 commits merged.")))
    rows = Proposal.objects.filter(space=desk.space)
    assert not rows.filter(waits_on__isnull=False).exists()
