"""A day picked on the card is that day in the space's zone; a day left alone keeps its instant."""

import re
import uuid
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from knowledge.commands import scope
from knowledge.models import Proposal, Version
from knowledge.results import SYSTEM
from tests.factories import NOW, Desk, make_desk, make_proposal, utc

pytestmark = pytest.mark.django_db

SAID = datetime.fromisoformat("2026-03-09T02:30:00+00:00")  # still 8 March in Los Angeles
WEST, EAST, JUMPS = "America/Los_Angeles", "Asia/Tokyo", "America/Havana"


def card(desk: Desk, proposal: Proposal, query: str = "?edit=1") -> str:
    """Open the card as the desk's curator."""
    answer = client(desk).get(f"/queue/{proposal.pk}/{query}")
    assert answer.status_code == 200
    return str(answer.content.decode())


def client(desk: Desk) -> Client:
    """Log the desk's curator in."""
    found = Client()
    found.force_login(desk.curator)
    return found


def value_of(page: str, name: str) -> str:
    """Read what a box of the page holds."""
    found = re.search(rf'name="{name}"[^>]* value="([^"]*)"', page)
    assert found is not None
    return found[1]


def save(desk: Desk, proposal: Proposal, *, act: str = "edit", **fields: Any) -> int:
    """Post the card's form as it stands with the fields over it; the answer's status."""
    proposal.refresh_from_db()
    page = card(desk, proposal)
    days = {name: value_of(page, name) for name in "valid_from valid_to was_from was_to".split()}
    form = {
        "request_id": str(uuid.uuid4()),
        "version": proposal.version,
        "text": proposal.text,
        "about": proposal.about,
        "attribute": proposal.attribute,
        "value": proposal.value,
        "memory_type": proposal.memory_type,
        "criticality": proposal.criticality,
        **days,
        **fields,
    }
    return client(desk).post(f"/queue/{proposal.pk}/{act}/", form).status_code


def opened(proposal: Proposal) -> Version:
    """Find the version that the proposal's approval opened."""
    return Version.objects.current().get(proposal=proposal)


@pytest.mark.parametrize(
    ("zone", "start", "end"),
    [
        ("UTC", "2026-03-08T00:00:00+00:00", "2026-11-02T00:00:00+00:00"),
        (WEST, "2026-03-08T08:00:00+00:00", "2026-11-02T08:00:00+00:00"),
        (EAST, "2026-03-07T15:00:00+00:00", "2026-11-01T15:00:00+00:00"),
        (JUMPS, "2026-03-08T05:00:00+00:00", "2026-11-02T05:00:00+00:00"),
    ],
)
def test_picked_days_are_days_of_the_space_also_where_clocks_change(
    zone: str, start: str, end: str
) -> None:
    desk = make_desk(zone=zone)
    proposal = make_proposal(desk.space, "Ana cycles to work", at=utc(2026, 5))

    status = save(desk, proposal, valid_from="2026-03-08", valid_to="2026-11-02")

    valid = opened(proposal).valid
    assert status == 303
    assert valid.lower == datetime.fromisoformat(start)
    assert valid.upper == datetime.fromisoformat(end)
    page = client(desk).get(f"/statements/{opened(proposal).statement_id}/").content.decode()
    assert "8 Mar 2026" in page
    assert "2 Nov 2026" in page


@pytest.mark.parametrize(("zone", "day"), [(WEST, "2026-03-08"), (EAST, "2026-03-09")])
def test_the_card_offers_the_day_of_the_words_in_the_zone_and_keeps_their_instant(
    zone: str, day: str
) -> None:
    desk = make_desk(zone=zone)
    proposal = make_proposal(desk.space, "Ana cycles to work", at=SAID)
    page = card(desk, proposal)
    assert (value_of(page, "valid_from"), value_of(page, "was_from")) == (day, day)

    assert save(desk, proposal, text="Ana cycles to work every day") == 303

    assert opened(proposal).valid.lower == SAID
    assert opened(proposal).valid.upper is None


def test_an_end_left_alone_keeps_its_instant_and_an_emptied_one_opens_the_period() -> None:
    desk = make_desk(zone=WEST)
    until = datetime.fromisoformat("2026-07-01T15:45:00+00:00")
    kept = make_proposal(desk.space, "Ana rents in Faro", at=SAID, valid_to=until)
    emptied = make_proposal(desk.space, "Ana rents in Beja", at=SAID, valid_to=until)

    assert save(desk, kept, text="Ana rents a flat in Faro") == 303
    assert save(desk, emptied, valid_to="") == 303

    assert opened(kept).valid.upper == until
    assert opened(emptied).valid.upper is None


@pytest.mark.parametrize("act", ["approve", "edit"])
def test_another_day_of_change_ends_the_old_where_that_day_begins_in_the_zone(act: str) -> None:
    desk = make_desk(zone=WEST)
    old = desk.believe("Ana works at Contoso", at=utc(2025), attribute="employer", value="Contoso")
    news = make_proposal(
        desk.space,
        "Ana works at Northwind",
        at=SAID,
        kind="update",
        target_id=old.statement_id,
        attribute="employer",
        value="Northwind",
    )
    offered = value_of(card(desk, news), "offered_from")
    assert offered == "2026-03-08"

    status = save(
        desk,
        news,
        act=act,
        target_seen=old.pk,
        change="changed",
        offered_from=offered,
        changed_from="2026-03-01",
    )

    day = datetime.fromisoformat("2026-03-01T08:00:00+00:00")
    assert status == 303
    assert opened(news).valid.lower == day
    remnant = Version.objects.current().get(derived_from=old)
    assert (remnant.valid.lower, remnant.valid.upper) == (utc(2025), day)


def test_the_day_that_was_offered_stands_for_the_very_instant_of_the_words() -> None:
    desk = make_desk(zone=WEST)
    old = desk.believe("Ana works at Contoso", at=utc(2025), attribute="employer", value="Contoso")
    news = make_proposal(
        desk.space, "Ana works at Northwind", at=SAID, kind="update", target_id=old.statement_id
    )

    status = save(
        desk,
        news,
        act="approve",
        target_seen=old.pk,
        change="changed",
        offered_from="2026-03-08",
        changed_from="2026-03-08",
    )

    assert status == 303
    assert opened(news).valid.lower == SAID


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "08/03/2026"])
def test_an_impossible_day_is_refused_and_decides_nothing(day: str) -> None:
    desk = make_desk(zone=EAST)
    proposal = make_proposal(desk.space, "Ana cycles to work", at=SAID)

    assert save(desk, proposal, valid_from=day) == 422
    assert not Version.objects.exists()


def test_days_are_read_in_the_space_of_the_card_not_in_the_one_left_behind() -> None:
    desk = make_desk(zone=WEST)
    elsewhere = make_desk(zone=EAST)
    proposal = make_proposal(desk.space, "Ana cycles to work", at=SAID)
    scope.add_membership(
        space_id=elsewhere.space.pk, user_id=desk.curator.pk, role="curator", by=SYSTEM, now=NOW
    )
    browser = client(desk)
    browser.get(f"/queue/?space={elsewhere.space.slug}")

    page = browser.get(f"/queue/{proposal.pk}/?edit=1").content.decode()

    assert value_of(page, "valid_from") == "2026-03-08"
