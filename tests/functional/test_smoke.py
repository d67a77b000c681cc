"""The browser, the live server and the database work together."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect


@pytest.fixture
def ana(transactional_db: None) -> User:
    """Somebody who may log in."""
    return User.objects.create_user("ana", password="correct horse battery")


def test_somebody_logs_in_with_a_wrong_and_then_the_right_password(page: Page, ana: User) -> None:
    answer = page.goto("/login/?next=/healthz")
    assert answer is not None
    assert answer.status == 200

    for password in ("wrong", "correct horse battery"):
        page.locator("input[name=username]").fill("ana")
        page.locator("input[name=password]").fill(password)
        page.locator("input[name=password]").press("Enter")
        page.wait_for_load_state()

    expect(page).to_have_url(re.compile(r"/healthz$"))
    ana.refresh_from_db()  # while Playwright's loop runs in this very thread
    assert ana.last_login is not None


def test_six_wrong_passwords_lock_the_name_for_a_while(page: Page, ana: User) -> None:
    for _ in range(6):
        page.goto("/login/")
        page.locator("input[name=username]").fill("ana")
        page.locator("input[name=password]").fill("wrong")
        with page.expect_response(lambda answer: answer.request.method == "POST") as posted:
            page.locator("input[name=password]").press("Enter")

    assert posted.value.status == 429
