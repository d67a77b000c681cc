"""The policy page: who sets, who reads, what is kept, and what the card carries of it."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from knowledge.models import GuidelineVersion, PolicyVersion, Role
from tests.factories import Desk, make_desk, make_person, make_proposal

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def admin(desk: Desk) -> Client:
    """Log an administrator of the space in."""
    return client(make_person(desk.space, role=Role.ADMIN))


def policy(**more: Any) -> dict[str, Any]:
    """Fill the policy's form."""
    plain = {
        "request_id": str(uuid.uuid4()),
        "four_eyes": "always",
        "expire_after_days": "30",
        "blind_share": "5",
    }
    return plain | more


def test_an_administrator_sets_the_policy_and_the_one_before_stays_readable(desk: Desk) -> None:
    browser = admin(desk)
    assert "one curator decides, and nothing expires" in browser.get("/policy/").content.decode()
    browser.post("/policy/set/", policy())
    answer = browser.post(
        "/policy/set/", policy(four_eyes="sensitive", expire_after_days=""), follow=True
    )
    page = answer.content.decode()
    assert "The policy is set." in page
    assert "Where it matters" in page and "1 earlier" in page
    assert "expiry after 30 days" in page
    rows = PolicyVersion.objects.filter(space=desk.space).order_by("pk")
    assert [(row.four_eyes, row.expire_after_days) for row in rows] == [
        ("always", 30),
        ("sensitive", None),
    ]


def test_the_same_form_twice_sets_once(desk: Desk) -> None:
    browser, form = admin(desk), policy()
    assert [browser.post("/policy/set/", form).status_code for _ in range(2)] == [303, 303]
    assert PolicyVersion.objects.filter(space=desk.space).count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"four_eyes": "sometimes"},
        {"expire_after_days": "0"},
        {"expire_after_days": "soon"},
        {"blind_share": "101"},
        {"blind_share": ""},
        {"blind_share": "few"},
    ],
)
def test_words_that_make_no_sense_set_nothing(desk: Desk, wrong: dict[str, str]) -> None:
    answer = admin(desk).post("/policy/set/", policy(**wrong))
    assert answer.status_code == 422
    assert b'role="alert"' in answer.content
    assert not PolicyVersion.objects.filter(space=desk.space).exists()


@pytest.mark.parametrize("role", [Role.CURATOR, Role.AUDITOR, Role.PRIVACY])
def test_members_read_and_do_not_set(desk: Desk, role: str) -> None:
    browser = client(make_person(desk.space, role=role))
    page = browser.get("/policy/").content.decode()
    assert "Administrators of this space set" in page and "<textarea" not in page
    assert browser.post("/policy/set/", policy()).status_code == 403
    form = {"request_id": str(uuid.uuid4()), "markdown": "x"}
    assert browser.post("/policy/guideline/", form).status_code == 403
    assert not PolicyVersion.objects.filter(space=desk.space).exists()


def test_a_guideline_is_words_on_every_card_and_never_markup(desk: Desk) -> None:
    proposal = make_proposal(desk.space, "Ana likes tea")
    curator = client(desk.curator)
    assert b'class="guide"' not in curator.get(f"/queue/{proposal.pk}/").content
    nasty = "# Ask\n\n- twice <script>alert(1)</script>\n- [now](javascript:x)"
    form = {"request_id": str(uuid.uuid4()), "markdown": nasty}
    assert admin(desk).post("/policy/guideline/", form).status_code == 303
    for path in ("/policy/", f"/queue/{proposal.pk}/"):
        page = curator.get(path).content.decode()
        assert "# Ask\n\n- twice &lt;script&gt;" in page.replace("\r\n", "\n"), path
        assert "<script>alert" not in page and 'href="javascript' not in page
    assert GuidelineVersion.objects.filter(space=desk.space).count() == 1


def test_other_spaces_see_nothing_of_it(desk: Desk) -> None:
    admin(desk).post("/policy/set/", policy())
    page = client(make_desk().curator).get("/policy/").content.decode()
    assert "Nobody set one yet" in page
