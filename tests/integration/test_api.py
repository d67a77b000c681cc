"""The JSON API: scope comes from the key, errors are problems, every use is in the log."""

import json
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from knowledge.models import AuditEvent
from knowledge.results import SYSTEM, SubjectRef
from knowledge.trust import WhatHappened
from tests.factories import Desk, make_desk, utc
from workbench.commands import keys
from workbench.models import ApiKey

pytestmark = pytest.mark.django_db

ANA = SubjectRef("user", "ana")
BEN = SubjectRef("user", "ben", "Ben")


@pytest.fixture
def desk() -> Desk:
    """A space with a curator."""
    return make_desk()


def make_key(desk: Desk, *subjects: SubjectRef, scopes: tuple[str, ...] = ("retrieve",)) -> str:
    """Make a key for the subjects, Ana by default; its token."""
    made = keys.create_key(
        space_slug=desk.space.slug,
        name="agent",
        subjects=subjects or (ANA,),
        scopes=scopes,
        by=SYSTEM,
        now=timezone.now(),
    )
    return made.token


class Caller:
    """An agent with a key."""

    def __init__(self, token: str | None) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def post(self, body: Any, *, path: str = "/api/v1/retrieve") -> Any:
        """Post JSON."""
        text = body if isinstance(body, str) else json.dumps(body)
        return self.client.post(path, text, content_type="application/json", headers=self.headers)

    def get(self, path: str) -> Any:
        """Get an address."""
        return self.client.get(path, headers=self.headers)


def check_problem(response: Any, *, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is a problem; its body."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert body["code"] == code
    assert body["detail"].endswith((".", "…", "Z"))
    assert body["request_id"] == response.headers["X-Request-ID"]
    return body


# --- retrieve ---


def test_an_agent_gets_what_was_approved_about_its_subject(desk: Desk) -> None:
    version = desk.believe("Ana prefers pnpm", valid_from=utc(2026, 3, 2), memory_type="preference")

    response = Caller(make_key(desk)).post({"query": "pnpm"})

    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    body = response.json()
    item = body["items"][0]
    assert (item["statement_id"], item["version_id"]) == (version.statement_id, version.pk)
    assert item["text"] == "Ana prefers pnpm"
    assert item["subject"] == "user:ana"
    assert item["trust"] == "approved"
    assert item["valid_from"] == "2026-03-02T00:00:00Z"
    assert item["valid_to"] is None
    assert item["quotes"][0]["text"] == "Ana prefers pnpm"
    assert body["known_at"].endswith("Z")
    assert body["approximate"] is False
    assert "Ana prefers pnpm" in body["prompt"]


def test_a_key_of_another_subject_gets_nothing(desk: Desk) -> None:
    version = desk.believe("Ana prefers pnpm")
    ben, both = make_key(desk, BEN), make_key(desk, BEN, ANA)

    assert Caller(ben).post({"query": "pnpm"}).json()["items"] == []
    assert len(Caller(both).post({"query": "pnpm"}).json()["items"]) == 1
    path = f"/api/v1/statements/{version.statement_id}"
    check_problem(Caller(ben).get(path), status=404, code="not_found")
    check_problem(Caller(ben).get(f"{path}/history"), status=404, code="not_found")
    assert Caller(both).get(path).status_code == 200


def test_a_key_of_another_space_gets_nothing_for_the_same_subject_name(desk: Desk) -> None:
    version = desk.believe("Ana prefers pnpm")
    elsewhere = Caller(make_key(make_desk()))

    assert elsewhere.post({"query": "pnpm"}).json()["items"] == []
    path = f"/api/v1/statements/{version.statement_id}"
    check_problem(elsewhere.get(path), status=404, code="not_found")


@pytest.mark.parametrize("name", ["subject", "subject_id", "space", "user_id", "filters", "keys"])
def test_no_field_of_the_body_can_widen_the_scope(desk: Desk, name: str) -> None:
    response = Caller(make_key(desk)).post({"query": "pnpm", name: "user:ben"})

    body = check_problem(response, status=422, code="unknown_field")
    assert body["field"] == name
    assert name in body["detail"]


@pytest.mark.parametrize(
    "path", ["/api/v1/statements/{id}?subject=user:ben", "/api/v1/statements/{id}?k=1"]
)
def test_unknown_parameters_of_an_address_are_refused(desk: Desk, path: str) -> None:
    version = desk.believe("Ana prefers pnpm")

    response = Caller(make_key(desk)).get(path.format(id=version.statement_id))

    check_problem(response, status=422, code="unknown_field")


def test_a_query_string_on_retrieve_is_refused(desk: Desk) -> None:
    response = Caller(make_key(desk)).post({"query": "x"}, path="/api/v1/retrieve?user_id=ben")
    check_problem(response, status=422, code="unknown_field")


def test_the_same_known_at_gives_the_same_answer(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    version = desk.believe("Ana works at Acme", valid_from=utc(2020))
    first = caller.post({"query": "Ana works"}).json()
    desk.believe(
        "Ana works at Northwind",
        happened=WhatHappened.NEVER_SO,
        target=version,
        valid_from=utc(2020),
    )

    instants = {"known_at": first["known_at"], "valid_at": first["valid_at"]}

    assert caller.post({"query": "Ana works", **instants}).json() == first
    now = caller.post({"query": "Ana works"}).json()
    assert [item["text"] for item in now["items"]] == ["Ana works at Northwind"]
    old = caller.post({"query": "Ana works", "history": True}).json()["items"][1]
    assert old["ended"]["how"] == "corrected"


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"query": "x", "valid_at": "2026-03-02"}, "valid_at", "no time zone"),
        ({"query": "x", "known_at": "2026-03-02T10:00:00"}, "known_at", "no time zone"),
        ({"query": "x", "valid_at": 1700000000}, "valid_at", "Write it as text"),
        ({"query": "x", "valid_at": "yesterday"}, "valid_at", "not a time"),
        ({"query": "x", "valid_at": "infinity"}, "valid_at", "not a time"),
        ({"query": "x", "valid_at": "0001-01-01T00:00:00+05:00"}, "valid_at", "years"),
        ({"query": ""}, "query", "at least 1"),
        ({"query": "   "}, "query", "empty"),
        ({}, "query", "required"),
        ({"query": ["x"]}, "query", "string"),
        ({"query": "x", "k": 0}, "k", "greater"),
        ({"query": "x", "k": "5"}, "k", "integer"),
        ({"query": "x", "k": True}, "k", "integer"),
        ({"query": "x", "history": "yes"}, "history", "boolean"),
        ({"query": "x", "types": ["opinion"]}, "types.0", "preference"),
        ({"query": "x", "token_budget": 1}, "token_budget", "64"),
    ],
)
def test_a_wrong_field_is_named_in_a_sentence(
    desk: Desk, body: dict[str, Any], field: str, words: str
) -> None:
    problem = check_problem(Caller(make_key(desk)).post(body), status=422, code="invalid_input")

    assert problem["field"] == field
    assert words in problem["detail"]


@pytest.mark.parametrize("body", ["{", "", "[1]", '"x"', "null"])
def test_a_body_that_is_no_object_is_a_clear_error(desk: Desk, body: str) -> None:
    response = Caller(make_key(desk)).post(body)
    assert response.status_code in {400, 422}
    assert response.headers["Content-Type"] == "application/problem+json"


def test_awkward_queries_are_answered(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    for query in ("\x00", "\ud83d\ude00", "'; --", "\\u0000", "a" * 4000):
        assert caller.post({"query": query}).status_code in {200, 422}
    assert caller.post('{"query": "\\ud800"}').status_code in {200, 400, 422}


# --- statements ---


def test_a_statement_is_read_at_both_instants(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    old = desk.believe("Ana works at Acme", valid_from=utc(2020))
    known = caller.post({"query": "x"}).json()["known_at"]
    new = desk.believe(
        "Ana works at Northwind",
        happened=WhatHappened.CHANGED,
        target=old,
        changed_at=utc(2026, 3, 2),
    )
    path = f"/api/v1/statements/{old.statement_id}"

    now = caller.get(path).json()
    assert (now["holds"], now["version"]["version_id"]) == (True, new.pk)
    before = caller.get(f"{path}?valid_at=2024-01-01T00:00:00Z").json()
    assert before["version"]["text"] == "Ana works at Acme"
    assert before["version"]["end_reason"] is None
    then = caller.get(f"{path}?known_at={known.replace('+', '%2B')}").json()
    assert (then["version"]["version_id"], then["version"]["believed_until"]) == (old.pk, None)
    versions = caller.get(f"{path}/history").json()["versions"]
    assert [version["text"] for version in versions] == [
        "Ana works at Acme",
        "Ana works at Acme",
        "Ana works at Northwind",
    ]
    assert versions[0]["end_reason"] == "superseded"
    assert versions[0]["successor_id"] == new.pk
    assert versions[1]["derivation"] == "remnant"


def test_a_naive_instant_in_an_address_is_refused(desk: Desk) -> None:
    version = desk.believe("Ana prefers pnpm")
    response = Caller(make_key(desk)).get(
        f"/api/v1/statements/{version.statement_id}?valid_at=2026-01-01"
    )
    problem = check_problem(response, status=422, code="invalid_input")
    assert problem["field"] == "valid_at"


@pytest.mark.parametrize("number", ["0", "999999999", "99999999999999999999999"])
def test_an_unknown_statement_is_not_found(desk: Desk, number: str) -> None:
    response = Caller(make_key(desk)).get(f"/api/v1/statements/{number}")
    check_problem(response, status=404, code="not_found")


# --- keys ---


def denied() -> list[tuple[str | None, str]]:
    """List refused uses of keys: the chain's space and why."""
    events = AuditEvent.objects.filter(action="key.use", outcome="denied").order_by("pk")
    return [
        (event.ledger.space.slug if event.ledger.space else None, event.reason_code)
        for event in events.select_related("ledger__space")
    ]


def test_no_key_is_asked_for_one() -> None:
    response = Caller(None).post({"query": "x"})
    check_problem(response, status=401, code="key_missing")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_an_unknown_key_is_refused_and_in_the_systems_chain(desk: Desk) -> None:
    token = make_key(desk)
    wrong = f"{token[:-3]}abc" if not token.endswith("abc") else f"{token[:-3]}xyz"

    check_problem(Caller(wrong).post({"query": "x"}), status=401, code="key_unknown")
    check_problem(Caller("nonsense").post({"query": "x"}), status=401, code="key_unknown")

    assert denied() == [(None, "key_unknown"), (None, "key_unknown")]
    assert Caller(token).post({"query": "x"}).status_code == 200
    stored = json.dumps(list(AuditEvent.objects.values_list("payload__body", flat=True)))
    assert wrong[13:] not in stored


def test_an_expired_key_is_refused_and_logged(desk: Desk) -> None:
    token = make_key(desk)
    past = timezone.now() - timedelta(days=200)
    ApiKey.objects.update(created_at=past, expires_at=past + timedelta(days=90))

    check_problem(Caller(token).post({"query": "x"}), status=401, code="key_expired")

    assert denied() == [(desk.space.slug, "key_expired")]


def test_a_revoked_key_is_refused_at_once(desk: Desk) -> None:
    token = make_key(desk)
    assert Caller(token).post({"query": "x"}).status_code == 200
    key = ApiKey.objects.get()
    keys.revoke_key(
        key_id=key.pk,
        space_id=desk.space.pk,
        typed_prefix=key.prefix,
        by=SYSTEM,
        now=timezone.now(),
    )

    check_problem(Caller(token).post({"query": "x"}), status=401, code="key_revoked")

    assert denied() == [(desk.space.slug, "key_revoked")]


def test_a_key_without_the_scope_is_refused_and_logged(desk: Desk) -> None:
    token = make_key(desk, scopes=("capture",))

    check_problem(Caller(token).post({"query": "x"}), status=403, code="scope_missing")

    assert denied() == [(desk.space.slug, "scope_missing")]


def test_a_retrieval_is_in_the_log_with_what_was_served(desk: Desk) -> None:
    version = desk.believe("Ana prefers pnpm")

    Caller(make_key(desk)).post({"query": "pnpm"})

    event = AuditEvent.objects.select_related("payload").get(action="statements.retrieve")
    assert event.actor_kind == "key"
    assert event.subject_id == desk.subject.pk
    assert event.payload is not None
    body = event.payload.body or {}
    assert (body["query"], body["versions"]) == ("pnpm", [version.pk])


def test_last_use_is_noted_once_in_a_while(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    caller.post({"query": "x"})
    first = ApiKey.objects.get().last_used_at
    caller.post({"query": "x"})

    assert first is not None
    assert ApiKey.objects.get().last_used_at == first


def test_the_secret_of_a_key_is_stored_nowhere(desk: Desk) -> None:
    token = make_key(desk)
    key = ApiKey.objects.get()

    assert token.startswith(f"mwk_{key.prefix}_")
    assert token.split("_", 2)[2].encode() not in bytes(key.digest)
    assert len(bytes(key.digest)) == 32


# --- failures ---


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/", "/api/v1/nothing", "/api/v2/retrieve", "/api/v1/retrieve/"]
)
def test_an_unknown_address_is_a_problem(path: str) -> None:
    check_problem(Caller(None).get(path), status=404, code="not_found")


def test_a_wrong_method_is_a_problem_that_names_the_right_one(desk: Desk) -> None:
    response = Caller(make_key(desk)).get("/api/v1/retrieve")

    problem = check_problem(response, status=405, code="method_not_allowed")
    assert response.headers["Allow"] == "POST"
    assert "POST" in problem["detail"]


def test_a_store_that_is_down_is_not_an_empty_answer(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    with mock.patch("workbench.api.retrieval.retrieve", side_effect=OperationalError("gone")):
        response = caller.post({"query": "x"})

    check_problem(response, status=503, code="unavailable")
    assert response.headers["Retry-After"]


def test_an_answer_that_cannot_be_logged_is_not_given(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    desk.believe("Ana prefers pnpm")
    with mock.patch("knowledge.commands.audit.record", side_effect=OperationalError("gone")):
        response = caller.post({"query": "pnpm"})

    check_problem(response, status=503, code="unavailable")
    assert "pnpm" not in response.content.decode()


def test_a_fault_of_ours_tells_nothing_of_the_inside(desk: Desk) -> None:
    caller = Caller(make_key(desk))
    with mock.patch("workbench.api.retrieval.retrieve", side_effect=ValueError("inside")):
        response = caller.post({"query": "x"})

    check_problem(response, status=500, code="internal_error")
    assert "inside" not in response.content.decode()


# --- documentation ---


def test_the_openapi_document_names_every_call_and_its_problems() -> None:
    document = Client().get("/api/v1/openapi.json").json()

    assert set(document["paths"]) == {
        "/api/v1/retrieve",
        "/api/v1/statements/{statement_id}",
        "/api/v1/statements/{statement_id}/history",
    }
    retrieve = document["paths"]["/api/v1/retrieve"]["post"]
    assert set(retrieve["responses"]) >= {"200", "401", "403", "422", "503"}
    body = document["components"]["schemas"]["RetrieveIn"]
    assert body["additionalProperties"] is False
    assert not {"subject", "space", "user_id"} & set(body["properties"])


def test_the_documentation_page_loads_nothing_from_elsewhere() -> None:
    response = Client().get("/api/v1/docs")

    assert response.status_code == 200
    assert b"https://" not in response.content
    policy = response.headers["Content-Security-Policy"]
    assert "img-src 'self' data:" in policy
    assert "unsafe" not in policy
