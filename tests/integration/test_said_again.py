"""What is asked, said again, edited or said in another language, from capture to the answer."""

import uuid

import pytest

from knowledge.commands import batches, sources
from knowledge.models import Confirmation, Message, Proposal, SearchEntry, Version
from knowledge.results import SYSTEM, NewMessage
from knowledge.trust import TrustState
from tests.factories import ANA, NOW, Desk, actor, approve, make_desk
from tests.integration.test_api import Caller, make_key
from tests.integration.test_pipeline import capture, process, said, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def _written() -> tuple[int, ...]:
    tables = (Message, Proposal, Version, Confirmation, SearchEntry)
    return tuple(table.objects.count() for table in tables)


@pytest.mark.parametrize("query", ["Where does Ana live?", "Ana lives in Lisbon", "I live in Rome"])
def test_what_is_asked_writes_and_strengthens_nothing(desk: Desk, query: str) -> None:
    desk.believe("Ana lives in Lisbon.", attribute="home_city", value="Lisbon")
    caller = Caller(make_key(desk))
    before, first = _written(), caller.post({"query": query}).json()["items"]
    again = caller.post({"query": query}).json()["items"]
    assert _written() == before
    assert first == again


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我住在上海，我喜欢喝茶。", "喝茶"),
        ("私は大阪に住んでいて、毎朝お茶を飲みます。", "お茶"),
        ("J'habite à Nantes avec ma grand-mère depuis 2019.", "grand-mère Nantes"),
        ("أعيش في القاهرة وأعمل مهندسة في شركة صغيرة.", "القاهرة"),
    ],
)
def test_what_was_said_in_a_language_is_quoted_in_it_and_found_by_its_words(
    desk: Desk, text: str, query: str
) -> None:
    process(capture(desk.space, said(text)))
    proposal = Proposal.objects.filter(space=desk.space, state=TrustState.PENDING)[0]
    quote = proposal.evidence.all()[0]
    assert text[quote.start : quote.end] == quote.quote
    assert proposal.text in text
    approve(proposal, by=desk.curator)
    found = Caller(make_key(desk)).post({"query": query}).json()["items"]
    assert found[0]["text"] == proposal.text


def test_an_edited_message_is_processed_as_well(desk: Desk) -> None:
    conversation = capture(desk.space, said("I live in Lisbon."))
    process(conversation)
    original = Message.objects.get(conversation_id=conversation)
    edited = NewMessage("m0", "Ana", "user_message", "I live in Porto.", original.sent_at, ANA)
    sources.capture(
        space_id=desk.space.pk, external_id="c1", source="test", messages=[edited], subjects=[ANA],
        by=SYSTEM, now=NOW,
    )  # fmt: skip
    process(conversation)
    assert waiting(desk.space) == ["Ana lives in Lisbon.", "Ana lives in Porto."]


def test_a_compound_fact_and_a_part_of_it_are_one_proposal_with_two_evidences(desk: Desk) -> None:
    process(capture(desk.space, said("I live in Lisbon with my sister."), external_id="c1"))
    process(capture(desk.space, said("I live in Lisbon."), external_id="c2", days=3))
    (pending,) = Proposal.objects.filter(space=desk.space, state=TrustState.PENDING)
    assert pending.text == "Ana lives in Lisbon with their sister."
    assert pending.evidence.count() == 2


def test_one_source_that_would_end_many_facts_is_never_approved_in_bulk(desk: Desk) -> None:
    for fact in ("I work at Contoso.", "I live in Lisbon.", "I love jazz.", "I love tea."):
        process(capture(desk.space, said(fact), external_id=fact))
    for proposal in Proposal.objects.filter(space=desk.space):
        approve(proposal, by=desk.curator)
    turned = (
        "I work at Northwind now.", "I live in Porto now.", "I hate jazz now.", "I hate tea now.",
    )  # fmt: skip
    process(capture(desk.space, *map(said, turned), external_id="all", days=30))
    ending = list(Proposal.objects.filter(space=desk.space, state=TrustState.PENDING))
    assert all("burst" in proposal.flags for proposal in ending)
    done = batches.approve_new(
        space_id=desk.space.pk, items=[(one.pk, one.version) for one in ending],
        request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    assert {item.outcome for item in done.items} == {"failed"}
    assert len(waiting(desk.space)) == len(ending) == len(turned)
