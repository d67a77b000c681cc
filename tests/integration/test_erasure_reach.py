"""Whatever repeats what was erased goes with it, and what only looks like it stays."""

import uuid

import pytest

from knowledge.commands import (
    audit,
    batches,
    proposals,
    review,
    sources,
    tombstones,
)
from knowledge.erasing.plan import plan_of
from knowledge.models import (
    AuditEvent,
    Conversation,
    ErasureRequest,
    Message,
    Proposal,
    Subject,
    Tombstone,
    Version,
)
from knowledge.results import (
    SYSTEM,
    WORKER,
    Actor,
    Edits,
    EvidenceDraft,
    NewMessage,
    PredictionDraft,
    RunOutcome,
    SubjectRef,
)
from tests.factories import (
    ANA,
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_messages,
    make_proposal,
    propose,
    seen,
)
from tests.forgetting import Office, make_office, rows_holding

pytestmark = pytest.mark.django_db(transaction=True)

BEN = SubjectRef("user", "ben", "Ben")
CANARY = "quokkaberry"
JONES = SubjectRef("user", "q7", f"{CANARY.title()} Jones")
AGENT = Actor("key", "abcd", "api")


@pytest.fixture
def desk() -> Desk:
    """A curator's desk."""
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    """Two privacy officers of the same space."""
    return make_office(desk.space)


def said(ref: SubjectRef | None, text: str, *, by: str = "") -> NewMessage:
    """One message, named after what it says."""
    kind = "user_message" if ref else "agent_message"
    return NewMessage(
        f"id of {text[-9:]}", by or (ref.name if ref else "bot"), kind, text, NOW, ref
    )


def take_in(
    desk: Desk, *messages: NewMessage, subjects: tuple[SubjectRef, ...] = (ANA,), title: str = ""
) -> Conversation:
    captured = sources.capture(
        space_id=desk.space.pk, external_id=str(uuid.uuid4()), source="test", title=title,
        messages=messages, subjects=subjects, by=SYSTEM, now=NOW,
    )  # fmt: skip
    return Conversation.objects.get(pk=captured.conversation_id)


def subject_of(desk: Desk, ref: SubjectRef) -> Subject:
    return Subject.objects.get(space=desk.space, external_id=ref.external_id)


def reject(desk: Desk, proposal: Proposal, *, note: str) -> None:
    review.reject(
        review=seen(proposal, note=note), reason_code="other", by=actor(desk.curator), now=NOW
    )


def of_part(
    message: Message, words: str, text: str, *, at: int | None = None, **changes: object
) -> Proposal:
    """Propose what rests on a part of a message alone."""
    start = message.text.index(words) if at is None else at
    evidence = (EvidenceDraft(message.pk, start, start + len(words), words),)
    return propose(message, text, evidence=evidence, **changes)


def test_titles_that_say_a_value_or_a_name_go(desk: Desk, office: Office) -> None:
    take_in(desk, said(ANA, f"My {CANARY} is ill."), title=f"Help with my {CANARY}")
    take_in(desk, said(ANA, "I live in Lisbon."), title="Where I live")
    office.erase("value", desk.subject.pk, words=CANARY)
    assert rows_holding(CANARY) == {}
    assert Conversation.objects.filter(title="Where I live").exists()

    take_in(
        desk, said(JONES, "I keep bees."), said(BEN, "I do not."), subjects=(JONES, BEN),
        title=f"{JONES.name} and Ben",
    )  # fmt: skip
    office.erase("subject", subject_of(desk, JONES).pk)
    assert rows_holding(CANARY) == {}


@pytest.mark.parametrize(
    ("value", "told"), [("ZQX", "ZQX"), (CANARY, CANARY.upper()), ("花生", "吃花生酱")]
)
def test_notes_and_predictions_that_say_a_value_in_any_form_go(
    desk: Desk, office: Office, value: str, told: str
) -> None:
    desk.believe(f"Ana has {value}", attribute="condition", value=value)
    reject(desk, make_proposal(desk.space, "Ana likes cake"), note=f"confused with her {told}")
    message = make_messages(desk.space, "I like tea.")[0]
    sources.open_episodes(conversation_id=message.conversation_id, segments=[[message.pk]], now=NOW)
    message.refresh_from_db()
    run = proposals.begin_run(
        episode_id=message.episode_id or 0, subject_id=desk.subject.pk, engine="test", model="",
        prompt_version="1", cold_start=False, shown=[], now=NOW,
    )  # fmt: skip
    expected = PredictionDraft(f"Ana mentions {told}", (), "not_mentioned")
    outcome = RunOutcome(predictions=(expected,), gaps=(), covered=(), drafts=())
    proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)
    assert rows_holding(told)

    office.erase("value", desk.subject.pk, words=value)

    assert rows_holding(value) == {}


def test_what_a_neighbour_was_said_to_be_unexpected_for_goes_and_the_neighbour_stays(
    desk: Desk, office: Office
) -> None:
    message = make_messages(desk.space, f"I keep a {CANARY} bush. And I live in Lisbon.")[0]
    home = of_part(
        message, "I live in Lisbon.", "Ana lives in Lisbon", unexpected=(CANARY, "Lisbon"),
        date_phrase=f"since the {CANARY}",
    )  # fmt: skip
    office.erase("value", desk.subject.pk, words=CANARY)
    home.refresh_from_db()
    assert rows_holding(CANARY) == {}
    assert home.text == "Ana lives in Lisbon"


def test_what_another_proposal_said_before_it_was_edited_goes(desk: Desk, office: Office) -> None:
    gone = desk.believe(f"Ana keeps a {CANARY}")
    edited = propose(make_messages(desk.space, "I keep one.")[0], f"Ana keeps a {CANARY}!")
    review.edit(
        review=seen(edited), edits=Edits(text="Ana has a garden"), by=actor(desk.curator), now=NOW
    )
    office.erase("statement", gone.statement_id)
    edited.refresh_from_db()
    assert rows_holding(CANARY) == {}
    assert edited.text == "Ana has a garden"


def test_the_same_words_under_another_attribute_or_after_an_edit_go(
    desk: Desk, office: Office
) -> None:
    gone = desk.believe(f"Ana keeps a {CANARY}", attribute="plant", value=CANARY)
    desk.believe(f"Ana keeps a {CANARY}")
    edited = make_proposal(desk.space, "Ana keeps a bush")
    review.edit(
        review=seen(edited), edits=Edits(text=f"Ana keeps a {CANARY}"), by=actor(desk.curator),
        now=NOW,
    )  # fmt: skip
    approve(edited, by=desk.curator)
    office.erase("statement", gone.statement_id)
    assert rows_holding(CANARY) == {}
    assert not Version.objects.current().exists()


def test_an_attribute_that_is_named_after_the_value_goes(desk: Desk, office: Office) -> None:
    make_messages(desk.space, f"I keep a {CANARY}.")
    desk.believe("Ana keeps one in the garden", attribute=f"{CANARY}_place", value="garden")
    office.erase("value", desk.subject.pk, words=CANARY)
    assert rows_holding(CANARY) == {}


def test_the_note_of_a_batch_goes_from_all_it_was_given_to(desk: Desk, office: Office) -> None:
    ana = make_proposal(desk.space, "Ana keeps bees")
    ben = make_proposal(desk.space, "Ben keeps cows", subject=BEN)
    batches.reject(
        space_id=desk.space.pk, items=[(row.pk, row.version) for row in (ana, ben)],
        reason_code="other", note=f"{CANARY} Quill asked us to drop these",
        request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    office.erase("subject", subject_of(desk, ANA).pk)
    ben.refresh_from_db()
    assert rows_holding(CANARY) == {}
    assert ben.text == "Ben keeps cows"


def test_the_note_a_tombstone_was_lifted_with_goes_with_its_subject(
    desk: Desk, office: Office
) -> None:
    version = desk.believe("Ana keeps a bush", attribute="plant", value="bush")
    office.erase("statement", version.statement_id)
    tombstones.lift(
        tombstone_id=Tombstone.objects.all()[0].pk, note=f"to keep her {CANARY}",
        request_id=uuid.uuid4(), by=actor(office.asks), now=NOW,
    )  # fmt: skip
    office.erase("subject", desk.subject.pk)
    assert rows_holding(CANARY) == {}


def test_other_open_requests_for_what_is_gone_are_withdrawn_with_their_words(
    desk: Desk, office: Office
) -> None:
    version = desk.believe(f"Ana keeps a {CANARY} bush")
    by_value = office.ask(office.scope("value", desk.subject.pk, words=CANARY), note=CANARY)
    by_id = office.ask(office.scope("statement", version.statement_id), note=f"the {CANARY}")
    of_ben = make_proposal(desk.space, f"Ben keeps a {CANARY}", subject=BEN)
    other = office.ask(office.scope("value", of_ben.subject_id, words=CANARY))
    office.erase("subject", desk.subject.pk)
    states = dict(ErasureRequest.objects.values_list("pk", "state"))
    assert (states[by_value], states[by_id]) == ("withdrawn", "withdrawn")
    assert states[other] == "asked"
    assert not ErasureRequest.objects.exclude(note="").exists()


@pytest.mark.parametrize("kind", ["subject", "value"])
def test_what_an_agent_asked_for_by_name_or_value_goes_from_the_log(
    desk: Desk, office: Office, kind: str
) -> None:
    version = desk.believe(f"Likes {CANARY}", subject=JONES, attribute="taste", value=CANARY)
    desk.believe("Ben keeps cows", subject=BEN)
    for query in (f"what does {CANARY.title()} Jones keep?", f"{CANARY.upper()}, where?"):
        audit.record(
            space_id=desk.space.pk, by=AGENT, action="statements.retrieve", object_type="key",
            object_id="abcd", payload={"query": query, "versions": [version.pk]},
        )  # fmt: skip
    audit.record(
        space_id=desk.space.pk, by=AGENT, action="statements.retrieve", object_type="key",
        object_id="abcd", payload={"query": "who keeps cows?", "versions": []},
    )  # fmt: skip
    words = CANARY if kind == "value" else ""
    office.erase(kind, version.subject_id, words=words)
    asked = AuditEvent.objects.filter(action="statements.retrieve").order_by("seq")
    gone = [row.payload is not None and row.payload.body is None for row in asked]
    assert gone == ([True, True, False] if kind == "value" else [True, False, False])


def test_what_others_said_of_an_erased_subject_is_listed_as_staying(
    desk: Desk, office: Office
) -> None:
    take_in(
        desk, said(JONES, f"I keep a {CANARY}."), said(None, "Feed it at nine."),
        said(BEN, f"Is {JONES.name} in?"), said(BEN, "I keep cows."), subjects=(JONES, BEN),
    )  # fmt: skip
    take_in(desk, said(None, "My hive died.", by=JONES.name), subjects=(BEN,))
    subject = subject_of(desk, JONES)
    staying = {row.text: row.why for row in plan_of(office.scope("subject", subject.pk)).staying}
    assert staying == {
        "Feed it at nine.": "beside", f"Is {JONES.name} in?": "name", "My hive died.": "name",
    }  # fmt: skip


@pytest.mark.parametrize(
    "words",
    ["C++ (new)", 'a"b\\c', "x.*y", "naïve 😀👍🏽", "שלום עולם", "O'Neil's \"Bar\"", "l" * 500],
)
def test_values_of_odd_letters_go_from_messages_notes_and_the_log(
    desk: Desk, office: Office, words: str
) -> None:
    message = make_messages(desk.space, f"before {words} after")[0]
    reject(desk, make_proposal(desk.space, "Ana likes cake"), note=f"not {words} of course")
    office.erase("value", desk.subject.pk, words=words)
    message.refresh_from_db()
    assert message.text == f"before {'█' * len(words)} after"
    assert rows_holding(words) == {}
    bodies = AuditEvent.objects.filter(payload__isnull=False).values_list("payload__body")
    assert not any(words in str(body["note"]) for (body,) in bodies if body and "note" in body)


def test_a_value_that_stands_only_in_a_title_goes(desk: Desk, office: Office) -> None:
    said = NewMessage("1", "Ana", "user_message", "Help me", NOW, ANA)
    sources.capture(
        space_id=desk.space.pk, external_id="c1", source="t", title=f"Help with my {CANARY}",
        messages=[said], subjects=[ANA], by=SYSTEM, now=NOW,
    )  # fmt: skip
    office.erase("value", desk.subject.pk, words=CANARY)
    assert rows_holding(CANARY) == {}


def test_a_value_that_stands_only_in_a_note_goes(desk: Desk, office: Office) -> None:
    rejected = make_proposal(desk.space, "Ana likes cake")
    note = f"confused with a {CANARY}"
    review.reject(
        review=seen(rejected, note=note), reason_code="other", by=actor(desk.curator), now=NOW
    )
    office.erase("value", desk.subject.pk, words=CANARY)
    assert rows_holding(CANARY) == {}
