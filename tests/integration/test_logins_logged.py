"""Who came, who was turned away and who left is in the system's chain, or nobody gets in."""

from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from knowledge.models import AuditEvent
from tests.chains import verified
from tests.factories import make_person, make_space
from workbench.queries import refusals

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery staple"


@pytest.fixture
def rosa() -> User:
    """Somebody who may log in."""
    user = make_person(make_space(), name="rosa")
    user.set_password(PASSWORD)
    user.save()
    return user


def log_in(client: Client, name: str, password: str = PASSWORD) -> int:
    """Fill the login form; the status of the answer."""
    return client.post("/login/", {"username": name, "password": password}).status_code


def browser() -> Client:
    """Return a browser that is told of faults as people are."""
    return Client(raise_request_exception=False)


def body_of(event: AuditEvent) -> dict[str, Any]:
    """Return what an event says in erasable words."""
    return dict((event.payload and event.payload.body) or {})


def told() -> list[tuple[Any, ...]]:
    """List what the system's chain says of logins."""
    events = AuditEvent.objects.filter(ledger__space=None, action__in=["login", "logout"])
    return list(events.order_by("seq").values_list("action", "outcome", "reason_code", "actor_id"))


def test_coming_and_leaving_are_logged(rosa: User) -> None:
    client = browser()
    assert log_in(client, "rosa") == 302
    assert client.post("/logout/").status_code == 302
    assert told() == [("login", "ok", "", "rosa"), ("logout", "ok", "", "rosa")]
    event = AuditEvent.objects.get(action="login")
    assert (event.object_type, event.object_id) == ("user", str(rosa.pk))
    assert event.request_id and body_of(event) == {"address": "127.0.0.1"}
    assert verified(None).holds


def test_a_wrong_password_and_an_unknown_name_are_denied(rosa: User) -> None:
    client = browser()
    assert log_in(client, "rosa", "wrong") == 200
    assert log_in(client, "hunter2-typed-in-the-wrong-place", "x") == 200
    assert told() == [
        ("login", "denied", "wrong_password", "rosa"),
        ("login", "denied", "wrong_password", ""),
    ]
    known, unknown = AuditEvent.objects.filter(action="login").order_by("seq")
    assert (known.object_id, unknown.object_id) == (str(rosa.pk), "")
    assert body_of(unknown)["username"] == "hunter2-typed-in-the-wrong-place"
    assert set(body_of(known)) == {"username", "address"}


@pytest.mark.parametrize("name", ["n" * 100_000, "a%00b", "%ED%A0%80", "a%0D%0Ab"])
def test_a_name_that_is_none_is_cut_and_breaks_nothing(rosa: User, name: str) -> None:
    body = f"username={name}&password=x"
    answer = browser().post("/login/", body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    for event in AuditEvent.objects.filter(action="login"):
        assert len(body_of(event)["username"]) <= 150
        assert event.actor_id == ""


def test_a_lock_out_is_logged_once_and_what_follows_it_no_more(rosa: User) -> None:
    client = browser()
    statuses = [log_in(client, "rosa", "wrong") for _ in range(9)]
    assert statuses[-1] == 429
    assert told() == [
        *[("login", "denied", "wrong_password", "rosa")] * 4,
        ("login", "denied", "locked_out", "rosa"),
    ]
    assert log_in(client, "rosa") == 429
    assert len(told()) == 5


def test_names_tried_one_after_the_other_do_not_fill_the_log(rosa: User) -> None:
    client = browser()
    for number in range(14):
        log_in(client, f"name-{number}", "x")
    assert len(told()) == refusals.MOST_OF_AN_ADDRESS
    assert log_in(client, "rosa") == 302
    assert told()[-1] == ("login", "ok", "", "rosa")


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_without_the_event_nobody_gets_in_and_the_answer_is_503(rosa: User, password: str) -> None:
    client = browser()
    with mock.patch("knowledge.commands.audit.append", side_effect=OperationalError("away")):
        assert log_in(client, "rosa", password) == 503
    assert client.get("/queue/").status_code == 302
    assert "_auth_user_id" not in client.session
