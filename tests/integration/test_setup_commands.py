"""`create_space`, `add_user` and `doctor` as somebody at a terminal meets them."""

from io import StringIO
from unittest.mock import patch

import httpx
import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client, RequestFactory

from knowledge.models import AuditEvent, Membership, Space
from workbench import doctor
from workbench.admin import site
from workbench.findings import Finding
from workbench.queries import health


def run(*arguments: str) -> list[str]:
    """Run a command and return the lines it printed."""
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


@pytest.fixture
def space(db: None) -> Space:
    """A space to add people to."""
    run("create_space", "atlas", "--name", "Project Atlas", "--zone", "Europe/Lisbon")
    return Space.objects.get(slug="atlas")


def test_a_space_gets_its_name_and_zone(space: Space) -> None:
    assert (space.name, space.zone, space.evaluation) == ("Project Atlas", "Europe/Lisbon", False)


@pytest.mark.django_db
def test_an_evaluation_space_says_so() -> None:
    assert run("create_space", "trial", "--evaluation") == ["trial"]
    assert Space.objects.get(slug="trial").evaluation


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["atlas"], "already a space"), (["new", "--zone", "Mars/Base"], "no time zone called")],
)
def test_a_space_that_cannot_be_is_refused_in_words(
    space: Space, arguments: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("create_space", *arguments)


@pytest.mark.parametrize(
    ("role", "staff"),
    [("curator", False), ("auditor", True), ("privacy", True), ("admin", True)],
)
def test_the_last_line_is_a_password_that_works(space: Space, role: str, staff: bool) -> None:
    password = run("add_user", "ana", "--role", role, "--space", "atlas")[-1]

    user = authenticate(RequestFactory().get("/"), username="ana", password=password)
    assert user is not None
    assert (user.is_staff, user.is_superuser) == (staff, False)
    assert Membership.objects.get(space=space, user=user).role == role
    assert AuditEvent.objects.filter(action="user.create", object_id=str(user.pk)).count() == 1


def test_an_administrator_of_a_space_cannot_take_the_logins_of_others(space: Space) -> None:
    run("add_user", "rosa", "--role", "curator", "--space", "atlas")
    run("create_space", "borealis")
    run("add_user", "bo", "--role", "admin", "--space", "borealis")
    rosa, bo = User.objects.get(username="rosa"), User.objects.get(username="bo")
    client = Client()
    client.force_login(bo)

    assert client.get(f"/admin/auth/user/{rosa.pk}/password/").status_code == 403
    assert client.get("/admin/django_q/schedule/add/").status_code == 404


def test_a_second_role_leaves_the_password_alone(space: Space) -> None:
    password = run("add_user", "ana", "--role", "curator", "--space", "atlas")[-1]

    said = run("add_user", "ana", "--role", "auditor", "--space", "atlas")

    assert "keep the password" in said[-1]
    assert User.objects.get(username="ana").check_password(password)
    assert set(Membership.objects.values_list("role", flat=True)) == {"curator", "auditor"}


@pytest.mark.parametrize(
    ("name", "space_slug", "sentence"),
    [("ana", "nowhere", "no space called nowhere"), ("an a", "atlas", "user name has")],
)
def test_a_person_who_cannot_be_added_leaves_no_trace(
    space: Space, name: str, space_slug: str, sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("add_user", name, "--role", "curator", "--space", space_slug)

    assert not User.objects.exists()


def findings(about: str) -> list[Finding]:
    """Return what the doctor says about one thing."""
    return [finding for finding in doctor.examine() if finding.about == about]


@pytest.mark.django_db
def test_the_doctor_finds_a_silent_worker_and_exits_with_one() -> None:
    out = StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=out)

    assert ended.value.code == 1
    assert "FAILED   worker: No sign of life yet." in out.getvalue()
    assert "what to do: Start everything with manage.py up" in out.getvalue()
    assert "ok       migrations: All applied." in out.getvalue()


@pytest.mark.django_db
def test_the_doctor_goes_on_when_the_database_is_away() -> None:
    with patch.object(doctor, "look_at_database", side_effect=OperationalError("refused\nmore")):
        found = findings("database")

    assert [finding.says for finding in found] == ["refused"]
    assert found[0].state == "failed"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("installed", "todo"),
    [
        ({}, "CREATE EXTENSION vector; CREATE EXTENSION btree_gist;"),
        (dict.fromkeys(doctor.EXTENSIONS, "0.7.4"), "ALTER EXTENSION vector UPDATE"),
    ],
)
def test_the_doctor_says_which_extension_an_administrator_must_see_to(
    installed: dict[str, str], todo: str
) -> None:
    (finding,) = doctor.look_at_extensions(installed)

    assert finding.state == "failed"
    assert todo in finding.todo


@pytest.mark.parametrize(
    ("status", "state"), [(200, "ok"), (404, "ok"), (401, "failed"), (503, "failed")]
)
def test_the_doctor_asks_the_model_endpoint(status: int, state: str) -> None:
    with patch.object(httpx, "get", return_value=httpx.Response(status)) as asked:
        (finding,) = doctor.look_at_endpoint("LLM", "http://127.0.0.1:9/v1/", key="secret")

    assert finding.state == state
    assert asked.call_args.args == ("http://127.0.0.1:9/v1/models",)
    assert "secret" not in finding.says + finding.todo


def test_an_endpoint_nobody_answers_at_is_a_failure() -> None:
    (finding,) = doctor.look_at_endpoint("LLM", "http://127.0.0.1:9/v1", key="")

    assert finding.state == "failed"
    assert "cannot be reached" in finding.says


@pytest.mark.django_db
def test_the_doctor_names_missing_migrations() -> None:
    with patch.object(health, "pending_migrations", return_value=["knowledge.0009_x"]):
        (finding,) = doctor.look_at_migrations()

    assert finding.todo == "manage.py migrate"
    assert "knowledge.0009_x" in finding.says


def test_the_admin_shows_people_and_no_queue_to_schedule_functions_in() -> None:
    shown = {model._meta.label for model in site._registry}
    assert shown == {"auth.User", "auth.Group"}


@pytest.mark.parametrize(
    ("address", "key", "says"),
    [
        ("http://ana:hunter2@127.0.0.1:9/v1?token=hunter2", "hunter2", "http://127.0.0.1:9/v1 can"),
        ("http://127.0.0.1:9/v1", "hunter2\nhunter2", "no key has"),
        ("http://127.0.0.1:9/v1", "hunter2ключ", "no key has"),
        ("http://[hunter2", "", "cannot be reached"),
    ],
)
def test_what_opens_an_endpoint_is_never_told(address: str, key: str, says: str) -> None:
    (finding,) = doctor.look_at_endpoint("LLM", address, key=key)
    assert finding.state == "failed" and says in finding.says
    assert "hunter2" not in f"{finding.says} {finding.todo}"
