"""People at their screens: a scene in the database and a browser that is logged in."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from tests import scenes

Open = Callable[..., Page]


@pytest.fixture
def scene(transactional_db: None) -> scenes.Scene:
    """Ana changed her job, and a curator looks at it."""
    return scenes.atlas()


@pytest.fixture
def open_page(browser: Browser, live_server: Any, scene: scenes.Scene) -> Iterator[Open]:
    """Opens a page as somebody, in a given size, theme and with or without scripts."""
    contexts: list[BrowserContext] = []

    def open_as(name: str = "rosa", *, path: str = "/queue/", **options: Any) -> Page:
        client = Client()
        client.force_login(User.objects.get(username=name))
        cookie = client.cookies["sessionid"].value
        options.setdefault("viewport", {"width": 1440, "height": 900})
        context = browser.new_context(base_url=str(live_server), **options)
        context.set_default_timeout(8_000)
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": str(live_server)}])
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(f"script error in the page: {error}"))
        page.goto(path)
        return page

    yield open_as
    for context in contexts:
        context.close()
