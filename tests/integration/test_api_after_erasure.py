"""What an agent finds of what was erased: that it was, and never what it said."""

import pytest

from knowledge.results import EvidenceDraft
from tests.factories import ANA, Desk, approve, make_desk, make_messages, propose
from tests.forgetting import Office, make_office
from tests.integration.test_api import Caller, make_key

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk() -> Desk:
    """A space with a curator."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers."""
    return make_office(desk.space)


def test_an_erased_statement_is_neither_found_nor_told_at_any_instant(
    desk: Desk, office: Office
) -> None:
    caller = Caller(make_key(desk))
    gone = desk.believe("Ana keeps quokkaberries", attribute="plant", value="quokkaberries")
    kept = desk.believe("Ana keeps bees")
    before = caller.post({"query": "What does Ana keep?"}).json()
    assert {item["statement_id"] for item in before["items"]} == {
        gone.statement_id,
        kept.statement_id,
    }

    office.erase("statement", gone.statement_id)

    for known_at in ({}, {"known_at": before["known_at"]}):
        after = caller.post({"query": "What does Ana keep?"} | known_at)
        assert "quokkaberries" not in after.content.decode()
        assert [item["statement_id"] for item in after.json()["items"]] == [kept.statement_id]
    answer = caller.get(f"/api/v1/statements/{gone.statement_id}")
    version = answer.json()["version"]
    assert (version["text"], version["value"], version["end_reason"]) == ("[erased]", "", "erased")
    assert version["redacted"] is True and version["quotes"] == []
    history = caller.get(f"/api/v1/statements/{gone.statement_id}/history")
    assert "quokkaberries" not in answer.content.decode() + history.content.decode()


def test_what_stands_beside_erased_words_keeps_its_own_quote(desk: Desk, office: Office) -> None:
    caller = Caller(make_key(desk))
    said = "I like tea. I keep quokkaberries."
    message = make_messages(desk.space, said)[0]
    tea = EvidenceDraft(message.pk, 0, 11, said[:11])
    other = approve(propose(message, "Ana likes tea", evidence=(tea,)), by=desk.curator)
    office.erase("value", desk.subject.pk, words="quokkaberries")
    message.refresh_from_db()
    assert message.text == "I like tea. I keep █████████████."
    found = caller.post({"query": "What does Ana like?"}).json()["items"]
    assert [item["statement_id"] for item in found] == [other.statement_id]
    assert [quote["text"] for quote in found[0]["quotes"]] == ["I like tea."]


def test_a_key_of_an_erased_subject_alone_opens_nothing_any_more(
    desk: Desk, office: Office
) -> None:
    caller = Caller(make_key(desk, ANA))
    desk.believe("Ana keeps bees")
    office.erase("subject", desk.subject.pk)
    answer = caller.post({"query": "What does Ana keep?"})
    assert (answer.status_code, answer.json()["code"]) == (401, "key_revoked")
