"""The whole way: a file goes in, a person approves, an agent reads. Nothing before that."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from knowledge.models import AuditEvent, Proposal, Version
from tests import scenes
from tests.functional.conftest import Open

FACT = "Ben lives in Porto."
CHAT = {
    "id": "porto",
    "messages": [
        {"role": "user", "content": "I live in Porto. 🌊", "created_at": "2026-03-02T10:00:00Z"},
        {"role": "assistant", "content": "Noted.", "created_at": "2026-03-02T10:00:30Z"},
    ],
}


def key_for(subject: str) -> str:
    """Make a key that may read one subject's memory."""
    said = StringIO()
    call_command(
        "create_api_key", "--space", "atlas", "--subject", subject, "--scopes", "retrieve",
        "--name", f"agent of {subject}", stdout=said,
    )  # fmt: skip
    return said.getvalue().strip().splitlines()[-1]


def ask(server: Any, key: str, query: str = "Where does Ben live?") -> httpx.Response:
    """Ask, as an agent."""
    return httpx.post(
        f"{server}/api/v1/retrieve",
        headers={"Authorization": f"Bearer {key}"},
        json={"query": query},
        timeout=30,
    )


def texts(answer: httpx.Response) -> list[str]:
    """List the statements an answer serves."""
    assert answer.status_code == 200, answer.text
    return [item["text"] for item in answer.json()["items"]]


@pytest.mark.django_db(transaction=True)
def test_a_conversation_goes_in_a_person_approves_an_agent_reads(
    scene: scenes.Scene, open_page: Open, live_server: Any, tmp_path: Path
) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(CHAT), encoding="utf-8")
    call_command(
        "import", str(path), "--space", "atlas", "--subject", "user:ben", "--name", "Ben",
        "--wait", stdout=StringIO(),
    )  # fmt: skip
    own, other = key_for("user:ben"), key_for("user:ana")
    assert texts(ask(live_server, own)) == []

    proposal = Proposal.objects.get(text=FACT)
    page = open_page(path=f"/queue/{proposal.pk}/")
    expect(page.get_by_role("heading", level=1)).to_have_text(FACT)
    expect(page.locator("mark.this")).to_contain_text("I live in Porto.")
    page.wait_for_timeout(350)
    page.keyboard.press("a")
    expect(page.get_by_text(f"Approved: {FACT}").first).to_be_visible()

    answer = ask(live_server, own).json()
    item = next(item for item in answer["items"] if item["text"] == FACT)
    assert item["quotes"][0]["text"] == "I live in Porto."
    assert FACT in answer["prompt"]
    assert answer["known_at"] >= item["believed_from"]

    # A key of another subject gets nothing of it, while it does get its own.
    assert FACT not in texts(ask(live_server, other))
    assert scenes.OLD_JOB in texts(ask(live_server, other, "Where does Ana work?"))
    version = Version.objects.get(text=FACT)
    hidden = httpx.get(
        f"{live_server}/api/v1/statements/{version.statement_id}",
        headers={"Authorization": f"Bearer {other}"},
        timeout=30,
    )
    assert hidden.status_code == 404

    event = AuditEvent.objects.get(decision_id=version.opened_by_id)
    assert (event.action, event.outcome, event.channel) == ("proposal.approve", "ok", "web")
