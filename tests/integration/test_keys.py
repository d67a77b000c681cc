"""Keys: who makes them, that they are shown once, and that revoking is for good."""

import re
import uuid
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from knowledge.errors import InvalidInput, NotAllowed, NotFound
from knowledge.models import AuditEvent, Role, Space, Subject
from knowledge.results import SYSTEM, Actor, SubjectRef
from tests.factories import actor, make_person, make_space
from workbench.commands import keys
from workbench.models import ApiKey
from workbench.queries.keys import grant_of, keys_of_space

pytestmark = pytest.mark.django_db

ANA = SubjectRef("user", "ana")
TOKEN = re.compile(r"mwk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}")


@pytest.fixture
def space() -> Space:
    """A space."""
    return make_space()


def make_key(space: Space, *, by: Actor = SYSTEM, **changes: Any) -> keys.NewKey:
    """Make a key for Ana."""
    plain: dict[str, Any] = {"name": "agent", "subjects": [ANA], "scopes": ["retrieve"]}
    return keys.create_key(space_slug=space.slug, by=by, now=timezone.now(), **(plain | changes))


def log_in(space: Space, role: str) -> Client:
    """Log a person with the role in."""
    client = Client()
    client.force_login(make_person(space, role=role))
    return client


def form(**changes: Any) -> dict[str, Any]:
    """Fill the form for a new key."""
    plain = {
        "form_id": str(uuid.uuid4()),
        "name": "coding agent",
        "days": "90",
        "scope": ["retrieve"],
        "subject": ["user:ana"],
        "subjects": "",
    }
    return plain | changes


# --- commands ---


def test_a_key_opens_its_subjects_and_no_others(space: Space) -> None:
    made = make_key(space, subjects=[ANA, SubjectRef("project", "atlas")])

    grant = grant_of(made.token, now=timezone.now())

    assert grant is not None
    assert grant.space_id == space.pk
    assert grant.subjects == ("project:atlas", "user:ana")
    assert grant.subject_ids == set(Subject.objects.values_list("pk", flat=True))
    assert grant.state == "active"
    assert grant.scopes == {"retrieve"}


@pytest.mark.parametrize("change", ["mwk_", "", "Bearer", "a" * 4000, "mwk_\u212a1234567_x"])
def test_what_is_no_key_opens_nothing(space: Space, change: str) -> None:
    token = make_key(space).token

    assert grant_of(change, now=timezone.now()) is None
    assert grant_of(token[:-1], now=timezone.now()) is None
    assert grant_of(token + "a", now=timezone.now()) is None
    assert grant_of(token, now=timezone.now()) is not None


def test_the_secret_of_one_key_does_not_open_another(space: Space) -> None:
    first, second = make_key(space), make_key(space)
    mixed = f"mwk_{first.prefix}_{second.token.split('_', 2)[2]}"

    assert grant_of(mixed, now=timezone.now()) is None


def test_a_key_lives_ninety_days_by_default(space: Space) -> None:
    made = make_key(space)
    assert (made.expires_at - ApiKey.objects.get().created_at).days == 90


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"subjects": []}, "subject"),
        ({"subjects": [SubjectRef("person", "ana")]}, "subject"),
        ({"subjects": [SubjectRef("user", " ")]}, "subject"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["decide"]}, "scopes"),
        ({"days": 0}, "expires_days"),
        ({"days": 10_000}, "expires_days"),
    ],
)
def test_a_wrong_key_is_refused_with_the_field(
    space: Space, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        make_key(space, **changes)

    assert refused.value.field == field
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("role", [Role.CURATOR, Role.AUDITOR, Role.PRIVACY])
def test_only_administrators_make_and_revoke_keys(space: Space, role: str) -> None:
    person = actor(make_person(space, role=role))
    made = make_key(space, by=actor(make_person(space, role=Role.ADMIN)))

    with pytest.raises(NotAllowed):
        make_key(space, by=person)
    with pytest.raises(NotAllowed):
        keys.revoke_key(
            key_id=made.key_id,
            space_id=space.pk,
            typed_prefix=made.prefix,
            by=person,
            now=timezone.now(),
        )


def test_a_key_cannot_make_keys(space: Space) -> None:
    with pytest.raises(NotAllowed):
        make_key(space, by=Actor(kind="key", id="abc", channel="api"))


def test_a_key_of_another_space_cannot_be_revoked_from_here(space: Space) -> None:
    made = make_key(make_space())

    with pytest.raises(NotFound):
        keys.revoke_key(
            key_id=made.key_id,
            space_id=space.pk,
            typed_prefix=made.prefix,
            by=SYSTEM,
            now=timezone.now(),
        )


def test_making_and_revoking_are_in_the_log_without_the_secret(space: Space) -> None:
    made = make_key(space)
    keys.revoke_key(
        key_id=made.key_id,
        space_id=space.pk,
        typed_prefix=made.prefix,
        by=SYSTEM,
        now=timezone.now(),
    )

    events = AuditEvent.objects.filter(object_type="key").select_related("payload").order_by("seq")
    assert [event.action for event in events] == ["key.create", "key.revoke"]
    assert {event.object_id for event in events} == {made.prefix}
    assert made.token not in str([event.payload.body for event in events if event.payload])


@pytest.mark.parametrize("scopes", [[], ["decide"], ["retrieve", "approve"]])
def test_the_database_takes_no_scope_it_does_not_know(space: Space, scopes: list[str]) -> None:
    make_key(space)
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiKey.objects.update(scopes=scopes)


# --- manage.py ---


def test_the_command_prints_the_key_alone_on_the_last_line(space: Space) -> None:
    out = StringIO()

    call_command(
        "create_api_key",
        *("--space", space.slug, "--subject", "user:ana", "--subject", "project:atlas"),
        *("--scopes", "retrieve,capture", "--name", "agent", "--expires-days", "7"),
        stdout=out,
    )

    token = out.getvalue().splitlines()[-1]
    assert TOKEN.fullmatch(token)
    grant = grant_of(token, now=timezone.now())
    assert grant is not None
    assert grant.scopes == {"retrieve", "capture"}
    assert (ApiKey.objects.get().expires_at - timezone.now()).days in {6, 7}


@pytest.mark.parametrize(
    ("space_slug", "subject", "scopes", "words"),
    [
        ("nowhere", "user:ana", "retrieve", "no space called nowhere"),
        ("", "ana", "retrieve", "kind:id"),
        ("", "user:ana", "decide", "no scope called decide"),
    ],
)
def test_the_command_says_what_is_wrong(
    space: Space, space_slug: str, subject: str, scopes: str, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call_command(
            "create_api_key",
            *("--space", space_slug or space.slug, "--subject", subject),
            *("--scopes", scopes, "--name", "agent"),
        )


# --- the page ---


def test_an_administrator_makes_a_key_that_is_shown_once(space: Space) -> None:
    client = log_in(space, Role.ADMIN)

    made = client.post("/keys/create/", form())

    token = TOKEN.search(made.content.decode())
    assert made.status_code == 200
    assert token is not None
    assert "no-store" in made.headers["Cache-Control"]
    assert grant_of(token.group(), now=timezone.now()) is not None
    again = client.get("/keys/").content.decode()
    assert "coding agent" in again
    assert token.group() not in again


def test_the_same_form_sent_twice_makes_one_key(space: Space) -> None:
    client = log_in(space, Role.ADMIN)
    filled = form()

    client.post("/keys/create/", filled)
    again = client.post("/keys/create/", filled)

    assert (again.status_code, again.headers["Location"]) == (303, "/keys/")
    assert ApiKey.objects.count() == 1


def test_a_form_sent_twice_at_once_makes_one_key(space: Space) -> None:
    # The second press carries a session that knows nothing of the first, as a double click's does.
    client, filled = log_in(space, Role.ADMIN), form()
    other = Client()
    other.force_login(User.objects.get(pk=client.session["_auth_user_id"]))

    client.post("/keys/create/", filled)
    again = other.post("/keys/create/", filled)

    assert (again.status_code, again.headers["Location"]) == (303, "/keys/")
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": ""}, "Give the key a name"),
        ({"subject": []}, "Choose or name at least one"),
        ({"subjects": "ana"}, "kind:id"),
        ({"subjects": "person:ana"}, "does not name a subject"),
        ({"scope": []}, "Choose what the key may do"),
        ({"scope": ["decide"]}, "no scope called decide"),
        ({"days": "0"}, "greater than or equal to 1"),
    ],
)
def test_a_wrong_form_keeps_what_was_typed_and_says_why(
    space: Space, changes: dict[str, Any], words: str
) -> None:
    answer = log_in(space, Role.ADMIN).post("/keys/create/", form(**changes))

    assert answer.status_code == 422
    assert words in answer.content.decode().replace("“", "").replace("”", "")
    assert changes.get("name", "coding agent") in answer.content.decode()
    assert not ApiKey.objects.exists()


def test_a_curator_sees_the_keys_and_may_not_change_them(space: Space) -> None:
    made = make_key(space)
    client = log_in(space, Role.CURATOR)

    page = client.get("/keys/").content.decode()

    assert f"mwk_{made.prefix}_" in page
    assert "Make the key" not in page
    assert client.post("/keys/create/", form()).status_code == 403
    refused = client.post(f"/keys/{made.key_id}/revoke/", {"prefix": made.prefix})
    assert refused.status_code == 403
    assert ApiKey.objects.get().revoked_at is None


def test_revoking_asks_for_the_prefix_and_keeps_the_key_listed(space: Space) -> None:
    made = make_key(space)
    client = log_in(space, Role.ADMIN)
    address = f"/keys/{made.key_id}/revoke/"

    assert client.post(address, {"prefix": "wrong"}).status_code == 422
    assert grant_of(made.token, now=timezone.now()) is not None
    assert client.post(address, {"prefix": made.prefix}).status_code == 303
    assert client.post(address, {"prefix": made.prefix}).status_code == 409
    grant = grant_of(made.token, now=timezone.now())
    assert grant is not None
    assert grant.state == "revoked"
    assert [row.state for row in keys_of_space(space.pk, now=timezone.now())] == ["revoked"]


def test_keys_of_another_space_are_not_listed_or_revoked(space: Space) -> None:
    other = make_key(make_space(), name="elsewhere")
    client = log_in(space, Role.ADMIN)

    assert "elsewhere" not in client.get("/keys/").content.decode()
    assert client.post(f"/keys/{other.key_id}/revoke/", {"prefix": other.prefix}).status_code == 404


def test_the_page_costs_the_same_however_many_keys(
    space: Space, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        make_key(space)
    client = log_in(space, Role.ADMIN)

    with django_assert_max_num_queries(10):
        assert client.get("/keys/").status_code == 200


def test_whoever_is_not_logged_in_sees_no_keys(space: Space) -> None:
    answer = Client().get("/keys/")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/login/")
