"""What no browser of ours sends: rubbish in addresses, parts a page does not have."""

import base64
import json
from typing import Any

import pytest
from django.test import Client

from tests import factories, scenes
from workbench.pages.address import read_cursor

pytestmark = pytest.mark.django_db

INSTANT = "2026-03-09T18:02:00+00:00"


@pytest.fixture
def scene() -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


@pytest.fixture
def rosa(scene: scenes.Scene) -> Client:
    """The curator's browser."""
    client = Client(raise_request_exception=False)
    client.force_login(scene.curator)
    return client


def packed(place: Any) -> str:
    """Write a place of one's own making into an address."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "place",
    [
        [[float("nan")] * 5, None, 0],
        [[0, float("inf"), 0, INSTANT, 1], None, 0],
        [None, None, float("inf")],
        [None, [INSTANT, float("inf")], 0],
        [None, [INSTANT, 10**30], 0],
        [None, ["2026-03-09T18:02:00", 1], 0],
        [None, ["0001-01-01T00:00:00+14:00", 1], 0],
        [[0, INSTANT, 0, INSTANT, 1], None, 0],
        [[0, 0.5, 0.5, 1, 1], None, 0],
        [[0, 0.5, 0.5, INSTANT, None], None, 0],
        [[10**400, 0.5, 0.5, INSTANT, 1], None, 0],
        [[0, 0.5], None, 0],
        [{"risk": 0}, None, 0],
    ],
)
def test_a_place_of_ones_own_making_is_the_beginning(rosa: Client, place: Any) -> None:
    cursor = packed(place)
    assert read_cursor(cursor, sort="risk") is None
    assert rosa.get(f"/queue/?after={cursor}").status_code == 200


def test_a_place_of_endless_brackets_is_the_beginning(rosa: Client) -> None:
    cursor = base64.urlsafe_b64encode(b"[" * 9_000).decode()
    assert rosa.get(f"/queue/?after={cursor}").status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        "/queue/?subject=²",
        "/statements/?subject=²",
        "/statements/?after=²",
        "/conversations/?after=²",
        "/runs/?after=²",
    ],
)
def test_a_raised_digit_is_no_number(rosa: Client, address: str) -> None:
    assert rosa.get(address).status_code == 200


@pytest.mark.parametrize(
    "address",
    ["/queue/?kind=%00", "/queue/?flag=a%00", "/queue/?attribute=%00", "/statements/?q=%00"],
)
def test_a_nul_in_an_address_makes_no_sense(rosa: Client, address: str) -> None:
    answer = rosa.get(address)
    assert answer.status_code == 400
    assert b"That request made no sense" in answer.content


@pytest.mark.parametrize("address", ["/conversations/", "/runs/", "/keys/", "/policy/"])
def test_a_page_without_the_part_that_was_asked_for_comes_whole(rosa: Client, address: str) -> None:
    answer = rosa.get(address, headers={"HX-Request": "true", "HX-Target": "work"})
    assert answer.status_code == 200
    assert b"<!doctype html>" in answer.content
    assert answer.headers["HX-Retarget"] == "body"


@pytest.mark.parametrize("name", ["a" * 100_000, "a\x00b", "\u202e😀" * 200])
def test_a_login_nobody_could_have_is_a_wrong_one(name: str) -> None:
    answer = Client(raise_request_exception=False).post(
        "/login/", {"username": name, "password": "x"}
    )
    assert answer.status_code == 200


def test_a_title_cannot_turn_its_neighbours_around(scene: scenes.Scene, rosa: Client) -> None:
    found = factories.make_messages(scene.space, "Hello", source="\u202eelif\u200b", at=scenes.NOW)[
        0
    ].conversation
    for address in ("/conversations/", f"/conversations/{found.pk}/"):
        page = rosa.get(address).content.decode()
        assert "\u202e" not in page.partition("<main")[2]
        assert 'class="invisible"' in page
