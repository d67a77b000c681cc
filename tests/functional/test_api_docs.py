"""The documentation page draws itself under the strict policy."""

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_documentation_page_draws_without_breaking_the_policy(page: Page) -> None:
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            said.append(message.text)

    page.on("console", hear)
    page.goto("/api/v1/docs")

    expect(page.get_by_role("heading", name="Memory Workbench")).to_be_visible()
    page.get_by_text("/api/v1/retrieve").click()
    expect(page.get_by_text("problem+json (RFC 9457)").first).to_be_visible()
    expect(page.get_by_text("token_budget").first).to_be_visible()
    assert said == []
