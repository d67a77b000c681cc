"""Fixtures and rules for every test.

`db` gives the application role inside a transaction that is rolled back; durable commands work
in it. `transactional_db` commits, and the owner empties the tables afterwards.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import TestCase, TransactionTestCase
from django.test.utils import setup_databases, teardown_databases
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.plugin import DjangoDbBlocker

from tests import databases

CHECKOUT = Path(__file__).resolve().parent.parent
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Playwright keeps an event loop in the main thread until it ends, so what drives it comes last.
TEARDOWN = "_fixture_teardown"  # what flushes; a name the stubs do not know
ORDER = ("unit", "architecture", "integration", "functional", "verification")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with its folder and run the browser tests last."""

    def place(item: pytest.Item) -> int:
        return ORDER.index(item.path.relative_to(CHECKOUT / "tests").parts[0])

    for item in items:
        item.add_marker(getattr(pytest.mark, ORDER[place(item)]))
    items.sort(key=place)


@pytest.fixture(autouse=True)
def nothing_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw all decisions for a blind second review, or none: no test hangs on a proposal's id."""
    monkeypatch.setattr("knowledge.commands.blind.is_drawn", lambda _, share: share == 100)


# --- database ---


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """One database for both aliases, migrated by its owner, whose flush passes the guards."""
    verbosity = request.config.option.verbose
    aliases: Any = {"default", "owner"}  # Django takes a set; the stubs ask for a mapping
    with django_db_blocker.unblock():
        databases.drop_databases_of_dead_runs()
        made = setup_databases(verbosity=verbosity, interactive=False, aliases=aliases)
        rows = databases.rows_of_migrations()
    flush = getattr(TransactionTestCase, TEARDOWN)

    def flush_and_put_back(case: TransactionTestCase) -> None:
        databases.wait_for_the_server()
        with databases.guards_lifted():
            flush(case)
            databases.put_back(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, TEARDOWN, flush_and_put_back)
        # A flush passes over mirrors, so committing tests need the alias that owns the tables.
        patch.setattr(TransactionTestCase, "databases", frozenset({"default", "owner"}))
        patch.setattr(TestCase, "databases", frozenset({"default"}), raising=False)
        yield
    with django_db_blocker.unblock():
        connections.close_all()  # a mirror's connection would keep the database from being dropped
        teardown_databases(made, verbosity=verbosity)


# --- data beside the checkout ---


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data sets; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("MW_SHARED_DATA", CHECKOUT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set MW_SHARED_DATA to the folder that holds it")
    return folder


# --- browser ---


def find_chromium() -> str:
    """Return Chromium's path: ``CHROMIUM``, else the first one installed."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), "")
    if not found and os.environ.get("CI"):
        pytest.fail("no Chromium on this machine: install the package chromium")
    if not found:
        pytest.skip("no Chromium on this machine: install it or set CHROMIUM to its path")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for the run.

    While it lives the main thread has a running event loop, in which Django refuses to touch
    the database. Nothing here is asynchronous, so for these tests alone the check is off.
    """
    executable = find_chromium()
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        chromium = playwright.chromium.launch(
            executable_path=executable, headless=True, args=CHROMIUM_ARGUMENTS
        )
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser, live_server: object) -> Iterator[BrowserContext]:
    """A fresh profile whose relative addresses point at the live server."""
    context = browser.new_context(
        base_url=str(live_server), viewport={"width": 1440, "height": 900}
    )
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page that fails the test when the browser reports an error of the page's scripts."""
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"script error in the page: {error}"))
    return page
