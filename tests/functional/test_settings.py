"""The page of settings in a browser: read, tried, with and without scripts, in both themes."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # no types
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings

from extraction.embeddings import memory, registry
from extraction.models import EndpointRole, ModelEndpoint
from knowledge.models import Role
from tests import embedding_server as embeddings
from tests import openai_server as models
from tests import scenes
from tests.embedding_server import EmbeddingServer, embedding_server
from tests.functional.conftest import Open
from tests.openai_server import ModelServer, model_server, says

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """A model that proposes."""
    with model_server() as running:
        settings.LLM_BASE_URL, settings.LLM_API_KEY = running.base_url, models.KEY
        settings.LLM_MODEL, settings.PREDICT_MODEL = models.MODEL, "scripted-mini"
        running.plays(same=says({"same": True}))
        yield running


@pytest.fixture
def embedder(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A model that finds, whose vectors nothing has yet."""
    monkeypatch.setattr(registry, "_made", {})
    with embedding_server() as running:
        settings.EMBEDDING_BASE_URL, settings.EMBEDDING_API_KEY = running.base_url, embeddings.KEY
        settings.EMBEDDING_MODEL = "words-1"
        memory.note_vectors(registry.configured_endpoint(), dimensions=64)
        yield running


@pytest.fixture
def otto(scene: scenes.Scene) -> str:
    """An administrator's name."""
    scenes.person(scene.space, "otto", Role.ADMIN)
    return "otto"


def problems(page: Page) -> list[str]:
    """List what axe finds, and the page's width where it is wider than its frame."""
    found = [
        f"{problem['id']}: {problem['nodes'][0]['html'][:120]}"
        for problem in Axe().run(page).response["violations"]
    ]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [*found, *([f"{wide} px too wide"] if wide > 0 else [])]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_an_administrator_tries_both(
    otto: str, server: ModelServer, embedder: EmbeddingServer, open_page: Open, scripts: bool
) -> None:
    page = open_page(otto, java_script_enabled=scripts)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    models_panel = page.get_by_role("region", name="What proposes")
    models_panel.get_by_role("button", name="Try it now").click()
    told = models_panel.locator(".told")
    expect(told).to_have_count(2)
    expect(told.first).to_contain_text("It works")
    if scripts:
        expect(told.first).to_be_focused()
    page.get_by_role("region", name="What finds").get_by_role("button", name="Try it now").click()
    expect(page.get_by_role("region", name="What finds").locator(".told")).to_contain_text(
        "words-1@64"
    )
    expect(models_panel.locator(".told")).to_have_count(0)
    assert re.search("sk-(test|embedding)", page.content()) is None


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_it_is_accessible_and_stays_in_its_frame(
    otto: str,
    server: ModelServer,
    embedder: EmbeddingServer,
    open_page: Open,
    theme: str,
    viewport: dict[str, int],
) -> None:
    ModelEndpoint.objects.create(
        role=EndpointRole.CHAT,
        base_url=server.base_url,
        model="scripted-mini",
        refused_parameters=["temperature", "max_tokens"],
        failures=5,
        open_until=timezone.now() + timedelta(minutes=1),
        last_error=f"The model endpoint {server.base_url} did not answer within 30 seconds.",
    )
    page = open_page(otto, path="/settings/", color_scheme=theme, viewport=viewport)
    expect(page.locator(".notice")).to_have_count(2)
    expect(page.get_by_role("progressbar")).to_be_visible()
    assert problems(page) == []
    for path in ("engine", "embedder"):
        panel = page.locator(f"section[aria-labelledby={path}-title]")
        panel.get_by_role("button", name="Try it now").click()
        expect(panel.locator(".told").first).to_be_visible()
        assert problems(page) == []
