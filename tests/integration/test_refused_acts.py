"""Every act that was refused or failed is one event, written after it was rolled back; or 503."""

import ast
import uuid
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import InterfaceError, OperationalError
from django.test import Client
from django.utils import timezone

from knowledge.commands import review
from knowledge.errors import InvalidPeriod, NotAllowed
from knowledge.models import AuditEvent, Proposal, Role
from knowledge.results import SYSTEM, SubjectRef
from tests.architecture.source_tree import modules, tree_of
from tests.chains import verified
from tests.factories import Desk, actor, make_desk, make_person, make_proposal, make_space, seen
from workbench import auditing
from workbench.commands import keys
from workbench.queries import refusals

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery staple"
TOLD = ("action", "outcome", "reason_code", "object_type", "object_id", "actor_id", "channel")


@pytest.fixture
def desk() -> Desk:
    """A space with a curator."""
    return make_desk()


def logged_in(user: User) -> Client:
    """Return a browser in which the person is logged in."""
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def refused(space_id: int | None) -> list[tuple[Any, ...]]:
    """List what was refused or failed in a chain."""
    events = AuditEvent.objects.filter(ledger__space=space_id).exclude(outcome="ok")
    return list(events.order_by("seq").values_list(*TOLD))


def body_of(event: AuditEvent) -> dict[str, Any]:
    """Return what an event says in erasable words."""
    return dict((event.payload and event.payload.body) or {})


def form_of(proposal: Proposal, **more: Any) -> dict[str, Any]:
    """Fill the card's form."""
    proposal.refresh_from_db()
    return {"request_id": str(uuid.uuid4()), "version": proposal.version, **more}


# --- in the browser ---


def test_who_may_not_decide_and_tries_is_denied_once_in_the_space(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    auditor = make_person(desk.space, role=Role.AUDITOR)
    answer = logged_in(auditor).post(
        f"/queue/{proposal.pk}/approve/", form_of(proposal), headers={"X-Request-ID": "try-no-12"}
    )
    assert answer.status_code == 403
    assert refused(desk.space.pk) == [
        ("approve", "denied", "not_allowed", "proposal", str(proposal.pk), auditor.username, "web")
    ]
    event = AuditEvent.objects.get(outcome="denied")
    assert (event.request_id, event.payload) == ("try-no-12", None)
    assert verified(desk.space.pk).holds


def test_a_conflict_is_a_failed_act_that_keeps_none_of_the_words(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    old = form_of(proposal, reason="other", note="my own words")
    review.reject(
        review=seen(proposal), reason_code="not_said", by=actor(desk.curator),
        now=timezone.now(),
    )  # fmt: skip
    answer = logged_in(desk.curator).post(f"/queue/{proposal.pk}/reject/", old)
    assert answer.status_code == 409
    assert [each[:3] for each in refused(desk.space.pk)] == [("reject", "failed", "stale_proposal")]
    assert AuditEvent.objects.get(outcome="failed").payload is None


def test_an_act_answered_with_a_redirect_and_a_message_is_seen_too(desk: Desk) -> None:
    version = desk.believe("Ana likes tea")
    other = make_person(desk.space)
    answer = logged_in(other).post(
        f"/decisions/{version.opened_by_id}/undo/", {"request_id": str(uuid.uuid4())}
    )
    assert answer.status_code == 303
    assert [each[:5] for each in refused(desk.space.pk)] == [
        ("undo", "denied", "not_allowed", "decision", str(version.opened_by_id))
    ]


def test_a_form_filled_in_badly_is_no_act(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    answer = logged_in(desk.curator).post(f"/queue/{proposal.pk}/approve/", {"version": "1"})
    assert answer.status_code == 422
    assert refused(desk.space.pk) == []


def test_what_the_core_finds_invalid_is_a_failed_act(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with mock.patch("workbench.acts.approve", side_effect=_invalid):
        answer = logged_in(desk.curator).post(f"/queue/{proposal.pk}/approve/", form_of(proposal))
    assert answer.status_code == 422
    assert [each[:3] for each in refused(desk.space.pk)] == [
        ("approve", "failed", "invalid_period")
    ]


def _invalid(*args: Any, **kwargs: Any) -> None:
    raise InvalidPeriod("The period is inverted.", field="valid_to")


def test_an_act_on_what_is_not_there_or_another_spaces_is_logged_where_one_sits(
    desk: Desk,
) -> None:
    elsewhere = make_desk()
    theirs = make_proposal(elsewhere.space, "Ben likes gin", subject=SubjectRef("user", "ben"))
    browser = logged_in(desk.curator)
    for number in (theirs.pk, 999_999_999):
        assert browser.post(f"/queue/{number}/approve/", form_of(theirs)).status_code == 404
    assert [each[:5] for each in refused(desk.space.pk)] == [
        ("approve", "failed", "not_found", "proposal", str(theirs.pk)),
        ("approve", "failed", "not_found", "proposal", "999999999"),
    ]
    assert refused(elsewhere.space.pk) == []


def test_a_fault_of_ours_is_a_failed_act(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with mock.patch("workbench.acts.approve", side_effect=RuntimeError("bug")):
        answer = logged_in(desk.curator).post(f"/queue/{proposal.pk}/approve/", form_of(proposal))
    assert answer.status_code == 500
    assert [each[:3] for each in refused(desk.space.pk)] == [
        ("approve", "failed", "internal_error")
    ]


def test_a_forged_form_of_a_person_is_denied(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(desk.curator)
    assert browser.post(f"/queue/{proposal.pk}/approve/", form_of(proposal)).status_code == 403
    assert [each[:3] for each in refused(None)] == [("approve", "denied", "forbidden")]


def test_a_person_without_a_space_is_denied_in_the_systems_chain() -> None:
    nobody = User.objects.create_user("nobody")
    assert logged_in(nobody).get("/queue/").status_code == 403
    assert [each[:3] for each in refused(None)] == [("queue", "denied", "not_allowed")]


def test_strangers_cause_no_event_at_the_screens(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    before = AuditEvent.objects.count()
    stranger = Client()
    stranger.post(f"/queue/{proposal.pk}/approve/", form_of(proposal))
    stranger.post("/nowhere/")
    stranger.get("/admin/")
    assert AuditEvent.objects.count() == before


def test_looking_around_is_no_act(desk: Desk) -> None:
    browser = logged_in(desk.curator)
    for path in ("/nowhere/", "/queue/999999999/", "/queue/"):
        browser.get(path)
    browser.post("/nowhere/")
    assert refused(desk.space.pk) == refused(None) == []


def test_the_admin_turns_people_away_with_an_event(desk: Desk) -> None:
    assert logged_in(desk.curator).get("/admin/auth/user/").status_code == 302
    assert [each[:3] for each in refused(None)] == [
        ("admin:auth_user_changelist", "denied", "not_staff")
    ]
    auditor = make_person(desk.space, role=Role.AUDITOR)
    User.objects.filter(pk=auditor.pk).update(is_staff=True)
    number = desk.curator.pk
    assert logged_in(auditor).post(f"/admin/auth/user/{number}/change/").status_code == 403
    assert refused(None)[1][:4] == ("admin:auth_user_change", "denied", "not_allowed", "object")


@pytest.mark.parametrize("fault", [OperationalError("away"), InterfaceError("closed")])
def test_without_the_event_the_answer_is_503(desk: Desk, fault: Exception) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    auditor = logged_in(make_person(desk.space, role=Role.AUDITOR))
    with mock.patch("knowledge.commands.audit.append", side_effect=fault):
        answer = auditor.post(f"/queue/{proposal.pk}/approve/", form_of(proposal))
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]


@pytest.mark.django_db(transaction=True)
def test_the_event_is_written_after_the_act_was_taken_back(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    with mock.patch("knowledge.commands.deciding.log", side_effect=NotAllowed("No.")):
        answer = logged_in(desk.curator).post(f"/queue/{proposal.pk}/approve/", form_of(proposal))
    assert answer.status_code == 403
    proposal.refresh_from_db()
    assert proposal.state == "pending"
    assert not proposal.decisions.exists()
    assert [each[:3] for each in refused(desk.space.pk)] == [("approve", "denied", "not_allowed")]


def test_no_view_answers_an_error_of_the_core_without_telling_the_seam() -> None:
    """Whatever is caught was raised inside of ``acting``, or in a page that only reads."""
    errors = {"Conflict", "NotAllowed", "InvalidInput", "KnowledgeError"}
    silent = []
    for path in modules("workbench"):
        if path.parts[1] != "views":
            continue
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Try):
                continue
            caught = {
                name.id
                for handler in node.handlers
                for name in ast.walk(handler.type or handler)
                if isinstance(name, ast.Name)
            }
            if caught & errors and not _is_told(node):
                silent.append(f"{path}:{node.lineno}")
    assert silent == []


def _is_told(node: ast.Try) -> bool:
    """Say whether all that is tried stands inside of ``acting``."""
    return all(
        isinstance(statement, ast.With)
        and any("acting(request)" in ast.unparse(item.context_expr) for item in statement.items)
        for statement in node.body
    )


# --- what people change about people ---


def admin(desk: Desk) -> Client:
    """Return the browser of somebody who may do everything in the admin."""
    return logged_in(User.objects.create_superuser("root", password=PASSWORD))


def events_of(user: User) -> list[tuple[str, str, str]]:
    """List what happened to a login."""
    events = AuditEvent.objects.filter(object_type="user", object_id=str(user.pk))
    return list(events.order_by("pk").values_list("action", "actor_id", "channel"))


def test_a_login_made_changed_and_removed_in_the_admin_is_in_the_log(desk: Desk) -> None:
    browser = admin(desk)
    new = {
        "username": "eve",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "usable_password": "true",
    }
    assert browser.post("/admin/auth/user/add/", new).status_code == 302
    eve = User.objects.get(username="eve")
    changed = {
        "username": "eve", "is_active": "on", "is_staff": "on", "is_superuser": "on",
        "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00",
    }  # fmt: skip
    assert browser.post(f"/admin/auth/user/{eve.pk}/change/", changed).status_code == 302
    word = {"password1": PASSWORD[::-1], "password2": PASSWORD[::-1], "usable_password": "true"}
    assert browser.post(f"/admin/auth/user/{eve.pk}/password/", word).status_code == 302
    assert browser.post(f"/admin/auth/user/{eve.pk}/delete/", {"post": "yes"}).status_code == 302
    assert events_of(eve) == [
        ("user.create", "root", "admin"),
        ("user.change", "root", "admin"),
        ("user.change", "root", "admin"),
        ("user.delete", "root", "admin"),
    ]
    made, widened = AuditEvent.objects.filter(object_id=str(eve.pk)).order_by("pk")[:2]
    assert [body_of(each)["is_superuser"] for each in (made, widened)] == [False, True]
    bodies = str(list(AuditEvent.objects.values_list("payload__body", flat=True)))
    assert PASSWORD not in bodies and eve.password not in bodies


def test_a_password_is_not_changed_without_its_event(desk: Desk) -> None:
    browser = admin(desk)
    word = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    before = desk.curator.password
    with mock.patch("workbench.admin.audit.append", side_effect=OperationalError("away")):
        answer = browser.post(f"/admin/auth/user/{desk.curator.pk}/password/", word)
    assert answer.status_code == 503
    desk.curator.refresh_from_db()
    assert desk.curator.password == before


def test_a_role_that_opens_the_admin_is_told_of_once(desk: Desk) -> None:
    for role in ("auditor", "admin"):
        call_command("add_user", "otto", "--role", role, "--space", desk.space.slug)
    otto = User.objects.get(username="otto")
    events = AuditEvent.objects.filter(object_type="user", object_id=str(otto.pk))
    assert list(events.order_by("pk").values_list("action", "reason_code")) == [
        ("user.create", ""),
        ("user.change", "auditor"),
        ("membership.add", "auditor"),
        ("membership.add", "admin"),
    ]


# --- on the terminal ---


def test_a_refused_command_is_logged_with_who_and_where(desk: Desk) -> None:
    with pytest.raises(CommandError):
        call_command("approve_all", space=desk.space.slug, by=desk.curator.username)
    with pytest.raises(CommandError):
        call_command("create_api_key", "--space", desk.space.slug, "--subject", "user:ana",
                     "--scopes", "decide", "--name", "n")  # fmt: skip
    with pytest.raises(CommandError):
        call_command("add_user", "x", "--role", "curator", "--space", "nowhere")
    told = [(each[0], each[1], each[5], each[6]) for each in refused(desk.space.pk)]
    assert told == [
        ("command.approve_all", "denied", desk.curator.username, "command"),
        ("command.create_api_key", "failed", "system", "command"),
    ]
    assert [each[:3] for each in refused(None)] == [("command.add_user", "failed", "not_found")]


def test_a_command_that_cannot_be_logged_says_so(desk: Desk) -> None:
    with (
        mock.patch("knowledge.commands.audit.append", side_effect=OperationalError("away")),
        pytest.raises(CommandError, match="The audit log cannot be written"),
    ):
        call_command("add_user", "x", "--role", "curator", "--space", "nowhere")


# --- keys ---


def call(token: str, path: str = "/api/v1/statements/1") -> int:
    """Call the API; the status."""
    return Client().get(path, headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_key_that_reaches_beyond_its_subjects_is_logged(desk: Desk) -> None:
    version = desk.believe("Ana likes tea")
    made = keys.create_key(
        space_slug=desk.space.slug, name="agent", subjects=[SubjectRef("user", "ben")],
        scopes=["retrieve"], by=SYSTEM, now=timezone.now(),
    )  # fmt: skip
    assert call(made.token, f"/api/v1/statements/{version.statement_id}") == 404
    assert refused(desk.space.pk) == [
        ("one_statement", "failed", "not_found", "statement", str(version.statement_id),
         made.prefix, "api")
    ]  # fmt: skip


def test_who_tries_key_after_key_is_listed_ten_times_a_minute_and_refused_each_time(
    desk: Desk,
) -> None:
    for number in range(15):
        assert call(f"mwk_{number:08}_{'x' * 43}") == 401
    events = list(AuditEvent.objects.filter(action="key.use").order_by("pk"))
    assert len(events) == refusals.MOST_OF_AN_ADDRESS
    last = [body_of(event) for event in events[-2:]]
    assert "more_this_minute" not in last[0] and last[1]["more_this_minute"] == "not listed"
    assert refusals.room_for(space_id=None, action="key.use", address="10.0.0.9") == 10


def test_room_for_strangers_is_bounded_for_all_of_them_together() -> None:
    space = make_space()
    with mock.patch.object(refusals, "MOST_OF_ALL", 3):
        for number in range(6):
            address = f"10.0.0.{number}"
            if refusals.room_for(space_id=space.pk, action="key.use", address=address):
                auditing.log_stranger(
                    address=address, space_id=space.pk, by=SYSTEM, action="key.use",
                    outcome="denied",
                )  # fmt: skip
    assert AuditEvent.objects.filter(action="key.use").count() == 3


def test_source_of_views_is_where_it_is_looked_for() -> None:
    assert Path("workbench/views/review.py") in modules("workbench")
