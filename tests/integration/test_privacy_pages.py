"""The privacy pages: who finds, asks, confirms, reads and lifts, and what is shown of it."""

import hashlib
import json
import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from knowledge.commands import ending, erasure, proposals, sources, tombstones
from knowledge.errors import BlockedByTombstone
from knowledge.models import (
    AuditEvent,
    Conversation,
    ErasureRequest,
    ExtractionRun,
    Job,
    Message,
    Proposal,
    Role,
    Tombstone,
    Version,
)
from knowledge.results import (
    SYSTEM,
    WORKER,
    EvidenceDraft,
    RunOutcome,
    StatementReview,
    SubjectRef,
)
from tests.factories import (
    ANA,
    NOW,
    Desk,
    actor,
    approve,
    draft_of,
    make_desk,
    make_messages,
    make_person,
    make_proposal,
    propose,
)
from tests.forgetting import Office, make_office
from workbench.commands.keys import create_key

pytestmark = pytest.mark.django_db

BEN = SubjectRef("user", "ben", "Ben")
HTMX = {"HX-Request": "true"}
WORD = "quokkaberry"
PAGES = ("/privacy/", "/privacy/erasures/", "/privacy/tombstones/")


@pytest.fixture
def desk() -> Desk:
    return make_desk()


@pytest.fixture
def office(desk: Desk) -> Office:
    return make_office(desk.space)


def client(user: User) -> Client:
    """Log a user in."""
    found = Client()
    found.force_login(user)
    return found


def text_of(user: User, path: str, *, status: int = 200) -> str:
    """Read a page as somebody."""
    answer = client(user).get(path)
    assert answer.status_code == status, path
    return answer.content.decode()


def dry_run(kind: str, target: int, **more: Any) -> str:
    """Write the address of a dry run."""
    tail = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/privacy/erase/?kind={kind}&target={target}{tail}"


def filled(page: str, **more: Any) -> dict[str, Any]:
    """Fill the form that asks, with the hidden fields of the page."""
    form = page[page.index('action="/privacy/erase/ask/"') :]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
    hidden.pop("csrfmiddlewaretoken", None)
    return {**hidden, "reason": "asked_by_subject", "blocks": "1", **more}


def digest_in(page: str) -> str:
    """Return the digest a page's form holds."""
    found = re.search(r'name="digest" value="([0-9a-f]{64})"', page)
    assert found
    return found.group(1)


def asked(desk: Desk, office: Office, text: str = "Ana likes tea") -> tuple[uuid.UUID, str]:
    """Ask for a statement to be erased; the erasure and its address."""
    version = desk.believe(text)
    key = office.ask(office.scope("statement", version.statement_id), note="she wrote to us")
    return key, f"/privacy/erasures/{key}/"


# --- who ---


@pytest.mark.parametrize("role", [Role.PRIVACY, Role.ADMIN, Role.AUDITOR])
def test_who_looks_after_privacy_or_audits_it_reads_every_page(
    desk: Desk, office: Office, role: str
) -> None:
    reader = make_person(desk.space, role=role)
    version = desk.believe("Ana likes tea")
    for path in (*PAGES, dry_run("statement", version.statement_id), asked(desk, office)[1]):
        page = text_of(reader, path)
        assert page.count("<h1") == 1
        assert '<a href="/privacy/" aria-current="page">Privacy</a>' in page


def test_a_curator_sees_no_entry_and_is_refused(desk: Desk, office: Office) -> None:
    key, address = asked(desk, office)
    office.erase("statement", desk.believe("Ana likes cake").statement_id)
    stone = Tombstone.objects.all()[0]
    assert "/privacy/" not in text_of(desk.curator, "/queue/")
    reads = (*PAGES, dry_run("subject", desk.subject.pk), address, f"{address}certificate.json")
    for path in (*reads, f"/privacy/tombstones/{stone.pk}/"):
        assert "You are curator" in text_of(desk.curator, path, status=403), path
    for path in (
        "/privacy/erase/ask/",
        f"{address}confirm/",
        f"{address}withdraw/",
        f"/privacy/tombstones/{stone.pk}/lift/",
    ):
        assert client(desk.curator).post(path, {}).status_code == 403, path
    assert ErasureRequest.objects.get(pk=key).state == "asked"


@pytest.mark.parametrize("role", [Role.ADMIN, Role.AUDITOR])
def test_only_privacy_officers_ask_and_lift(desk: Desk, office: Office, role: str) -> None:
    person = make_person(desk.space, role=role)
    version = desk.believe("Ana likes tea")
    path = dry_run("statement", version.statement_id)
    assert "/privacy/erase/ask/" not in text_of(person, path)
    form = filled(text_of(office.asks, path))
    assert client(person).post("/privacy/erase/ask/", form).status_code == 403
    assert not ErasureRequest.objects.exists()

    office.erase("statement", version.statement_id)
    stone = Tombstone.objects.all()[0]
    page = text_of(person, f"/privacy/tombstones/{stone.pk}/")
    assert "/lift/" not in page and "Privacy officers of this space lift" in page
    lift = {"request_id": str(uuid.uuid4()), "note": "please"}
    answer = client(person).post(f"/privacy/tombstones/{stone.pk}/lift/", lift)
    assert answer.status_code == 403
    stone.refresh_from_db()
    assert stone.lifted_by is None
    assert "nothing yet" in text_of(person, "/privacy/tombstones/")  # a refusal is no attempt


def test_other_spaces_find_nothing_of_it(desk: Desk, office: Office) -> None:
    _, address = asked(desk, office)
    office.erase("statement", desk.believe("Ana likes cake").statement_id)
    stone = Tombstone.objects.all()[0]
    stranger = make_person(make_desk().space, role=Role.PRIVACY)
    for path in (
        address,
        f"/privacy/tombstones/{stone.pk}/",
        dry_run("subject", desk.subject.pk),
        dry_run("statement", 10**12),
        dry_run("planet", 1),
        "/privacy/erase/",
        f"/privacy/erasures/{uuid.uuid4()}/",
    ):
        text_of(stranger, path, status=404)
    assert "Nothing here has" in text_of(stranger, "/privacy/?what=words&q=tea")


# --- finding ---


@pytest.mark.parametrize("words", ["An", "ana", "user:ana"])
def test_a_subject_is_found_by_name_and_by_id(desk: Desk, office: Office, words: str) -> None:
    desk.believe("Ana likes tea")
    page = text_of(office.asks, f"/privacy/?what=subject&q={words}")
    assert dry_run("subject", desk.subject.pk).replace("&", "&amp;") in page
    assert "1 believed" in page


def test_words_are_found_in_statements_proposals_and_messages(desk: Desk, office: Office) -> None:
    version = desk.believe(f"Ana grows {WORD}")
    waiting = make_proposal(desk.space, f"Ana sells {WORD}")
    message = make_messages(desk.space, "So. " * 60 + f"My {WORD} has <b>leaves</b>")[0]
    page = text_of(office.asks, f"/privacy/?what=words&q={WORD.upper()}")
    for link in (
        f"/statements/{version.statement_id}/",
        f"/queue/{waiting.pk}/",
        f"/conversations/{message.conversation_id}/#message-{message.pk}",
        f"kind=value&amp;target={desk.subject.pk}&amp;words={WORD.upper()}",
        f"kind=conversation&amp;target={message.conversation_id}",
    ):
        assert link in page, link
    assert "…" in page and "&lt;b&gt;leaves" in page and "<b>leaves" not in page


def test_a_conversation_is_found_by_its_id(desk: Desk, office: Office) -> None:
    message = make_messages(desk.space, "Hello")[0]
    external = Conversation.objects.get(pk=message.conversation_id).external_id
    page = text_of(office.asks, f"/privacy/?what=conversation&q={external}")
    assert f"kind=conversation&amp;target={message.conversation_id}" in page


def test_what_is_found_is_bounded_and_costs_the_same_for_many(desk: Desk, office: Office) -> None:
    path, officer = f"/privacy/?what=words&q={WORD}", client(office.asks)

    def look() -> tuple[int, str]:
        with CaptureQueriesContext(connection) as queries:
            page = officer.get(path).content.decode()
        return len(queries), page

    make_messages(desk.space, WORD)
    few, page = look()
    assert "more than 20" not in page
    for number in range(21):
        make_messages(desk.space, f"{WORD} {number}")
    many, page = look()
    assert page.count("What erasing the conversation would do") == 20
    assert "more than 20" in page
    assert many == few


@pytest.mark.parametrize(
    ("query", "told"),
    [("what=words&q=x", "at least two letters"), ("what=nonsense&q=", "Looking changes nothing")],
)
def test_a_search_that_makes_no_sense_finds_nothing_and_says_why(
    office: Office, query: str, told: str
) -> None:
    page = text_of(office.asks, f"/privacy/?{query}")
    assert told in page and "What erasing" not in page


# --- the dry run ---


def test_the_dry_run_says_what_falls_loses_words_and_stays_and_changes_nothing(
    desk: Desk, office: Office
) -> None:
    shared = f"I water the {WORD} daily. And I live in Lisbon."
    message = make_messages(desk.space, shared)[0]
    start = shared.index("I water")
    words = f"I water the {WORD} daily."
    evidence = (EvidenceDraft(message.pk, start, start + len(words), words),)
    believed = approve(propose(message, f"Ana waters a {WORD}", evidence=evidence), by=desk.curator)
    elsewhere = make_messages(desk.space, f"Everybody loves {WORD}!", subject=BEN)[0]
    path = dry_run("value", desk.subject.pk, words=WORD)
    officer = client(office.asks)
    before = AuditEvent.objects.count(), Job.objects.count()
    page = officer.get(path).content.decode()
    assert (AuditEvent.objects.count(), Job.objects.count()) == before
    assert not ErasureRequest.objects.exists()

    assert f"Erase “{WORD}” of Ana?" in page
    assert "agents receive this now" in page and f"/statements/{believed.statement_id}/" in page
    assert f"<del>{WORD}</del> daily" in page or f"<del>I water the {WORD} daily.</del>" in page
    assert "And I live in Lisbon." in page
    staying = page[page.index("What stays, although") :]
    assert f"Everybody loves {WORD}!" in staying
    assert f"kind=conversation&amp;target={elsewhere.conversation_id}" in staying
    ask = page[page.index('id="ask"') :]
    assert ask.count(" checked") == 1 and 'name="blocks" value="1" checked' in ask


def test_what_was_made_of_another_subject_is_marked(desk: Desk, office: Office) -> None:
    message = make_messages(desk.space, "Ben likes what I cook")[0]
    propose(message, "Ana cooks")
    ana = desk.subject
    ben = sources.ensure_subject(space_id=desk.space.pk, ref=BEN, now=NOW)
    message.refresh_from_db()
    assert message.episode_id is not None
    run = proposals.begin_run(
        episode_id=message.episode_id, subject_id=ben.pk, engine="test", model="",
        prompt_version="of ben", cold_start=True, shown=[], now=NOW,
    )  # fmt: skip
    outcome = RunOutcome(
        (), (), (), drafts=(draft_of(message, "Ben likes Ana’s cooking", gaps=()),)
    )
    proposals.record_run(run_id=run.pk, outcome=outcome, by=WORKER, now=NOW)
    page = text_of(office.asks, dry_run("subject", ana.pk))
    falls = page[page.index("What falls") :]
    assert "1 of another subject" in falls
    ordered = [falls.index("Ben likes Ana’s cooking"), falls.index("Ana cooks")]
    assert ordered == sorted(ordered) and falls.count("it was made from these words") == 1


def test_too_few_letters_and_words_nobody_said_are_told_apart(desk: Desk, office: Office) -> None:
    desk.believe("Ana likes tea")
    page = text_of(office.asks, dry_run("value", desk.subject.pk), status=422)
    assert "in at least two letters" in page and "<h1" in page
    page = text_of(office.asks, dry_run("value", desk.subject.pk, words="cello"))
    assert "There is nothing of this to erase." in page and "/erase/ask/" not in page


def test_shared_conversations_go_whole_only_where_it_is_ticked(desk: Desk, office: Office) -> None:
    desk.believe("Ana likes tea")
    page = text_of(office.asks, dry_run("subject", desk.subject.pk))
    assert 'name="whole" value="1">' in page
    page = text_of(office.asks, dry_run("subject", desk.subject.pk, whole=1))
    assert 'name="whole" value="1" checked' in page
    client(office.asks).post("/privacy/erase/ask/", filled(page))
    assert ErasureRequest.objects.get().whole_conversations


# --- asking ---


def test_asking_leads_to_the_request_and_the_same_form_twice_is_one(
    desk: Desk, office: Office
) -> None:
    version = desk.believe("Ana likes tea")
    officer = client(office.asks)
    path = dry_run("statement", version.statement_id)
    form = filled(text_of(office.asks, path), note="she wrote to us")
    answers = [officer.post("/privacy/erase/ask/", form) for _ in range(2)]
    row = ErasureRequest.objects.get()
    assert {answer.headers["Location"] for answer in answers} == {f"/privacy/erasures/{row.pk}/"}
    assert (row.note, row.blocks, row.reason_code) == ("she wrote to us", True, "asked_by_subject")
    page = text_of(office.asks, f"/privacy/erasures/{row.pk}/")
    assert "she wrote to us" in page and "somebody else" in page
    assert "/confirm/" not in page and "Withdraw the request" in page
    assert "Ana likes tea" in text_of(office.confirms, "/privacy/")
    version.refresh_from_db()
    assert version.text == "Ana likes tea"


def test_blocking_can_be_left_off(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana likes tea")
    form = filled(text_of(office.asks, dry_run("statement", version.statement_id)))
    del form["blocks"]
    client(office.asks).post("/privacy/erase/ask/", form)
    assert not ErasureRequest.objects.get().blocks


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"reason": ""}, "Choose on whose account"),
        ({"reason": "mood"}, "Select a valid choice"),
        ({"reason": "other"}, "Say in a few words why"),
        ({"digest": "x"}, "ask"),
    ],
)
def test_a_form_that_is_not_sound_asks_for_nothing_and_keeps_what_was_written(
    desk: Desk, office: Office, wrong: dict[str, str], told: str
) -> None:
    version = desk.believe("Ana likes tea")
    form = filled(text_of(office.asks, dry_run("statement", version.statement_id)), **wrong)
    del form["blocks"]
    answer = client(office.asks).post("/privacy/erase/ask/", form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert told in page and 'name="blocks" value="1">' in page
    assert not ErasureRequest.objects.exists()


def test_what_changed_since_the_dry_run_is_a_conflict_with_the_new_plan(
    desk: Desk, office: Office
) -> None:
    desk.believe("Ana likes tea")
    path = dry_run("subject", desk.subject.pk)
    form = filled(text_of(office.asks, path), note="she asked", reason="contract_ended")
    desk.believe("Ana plays the cello")
    answer = client(office.asks).post("/privacy/erase/ask/", form)
    page = answer.content.decode()
    assert answer.status_code == 409 and not ErasureRequest.objects.exists()
    assert "Something changed while you read" in page and "Ana plays the cello" in page
    assert "she asked" in page and 'value="contract_ended" required checked' in page
    assert digest_in(page) != form["digest"]
    again = client(office.asks).post("/privacy/erase/ask/", filled(page, reason="contract_ended"))
    assert again.status_code == 303


def test_what_is_gone_cannot_be_asked_for(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana likes tea")
    path = dry_run("statement", version.statement_id)
    form = filled(text_of(office.asks, path))
    office.erase("statement", version.statement_id)
    assert client(office.asks).post("/privacy/erase/ask/", form).status_code == 404
    text_of(office.asks, path, status=404)


# --- the second person ---


def test_nobody_confirms_their_own(desk: Desk, office: Office) -> None:
    key, address = asked(desk, office)
    digest = digest_in(text_of(office.confirms, address))
    answer = client(office.asks).post(f"{address}confirm/", {"digest": digest})
    assert answer.status_code == 403
    assert "another person has to confirm" in answer.content.decode()
    assert ErasureRequest.objects.get(pk=key).state == "asked"
    denied = AuditEvent.objects.filter(outcome="denied", object_id=str(key))
    assert [row.action for row in denied] == ["confirm_erasure"]


@pytest.mark.parametrize("role", [Role.PRIVACY, Role.ADMIN])
def test_another_confirms_once_and_their_second_press_changes_nothing(
    desk: Desk, office: Office, role: str
) -> None:
    key, address = asked(desk, office)
    other = make_person(desk.space, role=role)
    page = text_of(other, address)
    assert "It cannot be undone" in page and "she wrote to us" in page
    form = {"digest": digest_in(page)}
    for _ in range(2):
        answer = client(other).post(f"{address}confirm/", form)
        assert (answer.status_code, answer.headers["Location"]) == (303, address)
    assert Job.objects.filter(kind="erase", key=str(key)).count() == 1
    late = client(office.confirms).post(f"{address}confirm/", form)
    assert late.status_code == 409 and "confirmed already" in late.content.decode()
    page = text_of(other, address)
    assert "Being erased" in page and 'hx-trigger="every 2s"' in page and "Look again" in page


def test_an_auditor_reads_and_does_not_confirm(desk: Desk, office: Office) -> None:
    key, address = asked(desk, office)
    auditor = make_person(desk.space, role=Role.AUDITOR)
    page = text_of(auditor, address)
    assert "Ana likes tea" in page and "/confirm/" not in page and "/withdraw/" not in page
    digest = digest_in(text_of(office.confirms, address))
    for act in ("confirm", "withdraw"):
        answer = client(auditor).post(f"{address}{act}/", {"digest": digest})
        assert answer.status_code == 403, act
    assert ErasureRequest.objects.get(pk=key).state == "asked"


def test_what_is_confirmed_is_what_was_seen(desk: Desk, office: Office) -> None:
    desk.believe("Ana likes tea")
    key = office.ask(office.scope("subject", desk.subject.pk))
    address = f"/privacy/erasures/{key}/"
    seen = digest_in(text_of(office.confirms, address))
    desk.believe("Ana plays the cello")
    answer = client(office.confirms).post(f"{address}confirm/", {"digest": seen})
    page = answer.content.decode()
    assert answer.status_code == 409 and "Ana plays the cello" in page
    assert "It reaches other things than when it was asked for" in page
    answer = client(office.confirms).post(f"{address}confirm/", {"digest": digest_in(page)})
    assert answer.status_code == 303


def test_more_than_25_ask_for_their_number(desk: Desk, office: Office) -> None:
    for number in range(13):
        make_proposal(desk.space, f"Ana has {number} cats")
    key = office.ask(office.scope("subject", desk.subject.pk))
    address = f"/privacy/erasures/{key}/"
    page = text_of(office.confirms, address)
    assert "Type 26" in page
    for typed in ("", "25", "ERASE"):
        form = {"digest": digest_in(page), "typed": typed}
        answer = client(office.confirms).post(f"{address}confirm/", form)
        assert answer.status_code == 422, typed
        assert "so that it is no slip" in answer.content.decode()
    assert ErasureRequest.objects.get(pk=key).state == "asked"
    form = {"digest": digest_in(page), "typed": " 26 "}
    assert client(office.confirms).post(f"{address}confirm/", form).status_code == 303


@pytest.mark.parametrize("who", ["asks", "confirms"])
def test_a_request_is_withdrawn_or_refused_and_keeps_no_words(
    desk: Desk, office: Office, who: str
) -> None:
    key, address = asked(desk, office)
    person = getattr(office, who)
    digest = digest_in(text_of(office.confirms, address))
    for _ in range(2):
        answer = client(person).post(f"{address}withdraw/")
        assert answer.status_code == 303
    page = text_of(person, address)
    assert "Not erased" in page and person.username in page
    assert "Ana likes tea" not in page and "she wrote to us" not in page
    other = office.confirms if who == "asks" else office.asks
    assert client(other).post(f"{address}withdraw/").status_code == 409
    third = make_person(desk.space, role=Role.ADMIN)
    assert client(third).post(f"{address}confirm/", {"digest": digest}).status_code == 409
    assert ErasureRequest.objects.get(pk=key).state == "withdrawn"


def test_a_request_for_what_another_erasure_took_is_closed_with_it(
    desk: Desk, office: Office
) -> None:
    version = desk.believe("Ana likes tea")
    key = office.ask(office.scope("statement", version.statement_id))
    office.erase("statement", version.statement_id)
    page = text_of(office.confirms, f"/privacy/erasures/{key}/")
    assert "withdrawn" in page and "/confirm/" not in page and "Ana likes tea" not in page
    assert ErasureRequest.objects.get(pk=key).state == "withdrawn"
    text_of(office.confirms, "/privacy/")


# --- done ---


def test_the_poll_reloads_the_page_once_it_is_done(desk: Desk, office: Office) -> None:
    key, address = asked(desk, office)
    office.confirm(key, office.scope("statement", ErasureRequest.objects.get().statement_id or 0))
    poll = {**HTMX, "HX-Target": "progress"}
    answer = client(office.asks).get(address, headers=poll)
    assert "HX-Refresh" not in answer.headers and b"<!doctype" not in answer.content
    erasure.carry_out(erasure_id=key, now=NOW)
    answer = client(office.asks).get(address, headers=poll)
    assert answer.headers["HX-Refresh"] == "true"
    assert b"every 2s" not in answer.content


def test_the_certificate_is_shown_downloaded_checked_and_the_download_logged(
    desk: Desk, office: Office
) -> None:
    key, address = asked(desk, office, f"Ana grows {WORD}")
    text_of(office.asks, f"{address}certificate.json", status=404)
    office.confirm(key, office.scope("statement", ErasureRequest.objects.get().statement_id or 0))
    erasure.carry_out(erasure_id=key, now=NOW)
    auditor = make_person(desk.space, role=Role.AUDITOR)
    page = text_of(auditor, address)
    for words in (
        "Certificate of erasure",
        office.asks.username,
        office.confirms.username,
        "backups and replicas",
        "They may still be found in",
    ):
        assert words in page, words
    assert WORD not in page and "she wrote to us" not in page

    answer = client(auditor).get(f"{address}certificate.json")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="erasure-{key}.json"'
    assert "no-store" in answer.headers["Cache-Control"]
    certificate = json.loads(answer.content)
    given = certificate.pop("sha256")
    assert given in page
    assert hashlib.sha256(json.dumps(certificate, sort_keys=True).encode()).hexdigest() == given
    assert WORD not in answer.content.decode()
    assert AuditEvent.objects.filter(action="erasure.export", object_id=str(key)).count() == 1


def test_no_page_has_the_words_after_an_erasure_and_none_breaks(desk: Desk, office: Office) -> None:
    message = make_messages(desk.space, f"I grow {WORD}. And I live in Lisbon.")[0]
    evidence = (EvidenceDraft(message.pk, 0, len(f"I grow {WORD}."), f"I grow {WORD}."),)
    believed = approve(propose(message, f"Ana grows {WORD}", evidence=evidence), by=desk.curator)
    home = propose(message, "Ana lives in Lisbon")
    waiting = make_proposal(desk.space, f"Ana sells {WORD}", value=WORD)
    auditor, admin = (make_person(desk.space, role=role) for role in (Role.AUDITOR, Role.ADMIN))
    paths = [
        *PAGES,
        "/queue/mine/",
        "/statements/",
        f"/statements/{believed.statement_id}/",
        "/conversations/",
        *(f"/conversations/{pk}/" for pk in Conversation.objects.values_list("pk", flat=True)),
        "/runs/",
        *(f"/runs/{pk}/" for pk in ExtractionRun.objects.values_list("pk", flat=True)),
        *(f"/queue/?tab={tab}" for tab in ("pending", "deferred", "second", "aside")),
        *(f"/queue/{pk}/" for pk in Proposal.objects.values_list("pk", flat=True)),
        f"/privacy/?what=words&q={WORD[:-1]}",
    ]
    before = "".join(text_of(office.asks, path) for path in paths)
    assert before.count(WORD) > 10

    office.erase("value", desk.subject.pk, words=WORD)

    done = ErasureRequest.objects.get()
    paths += [f"/privacy/erasures/{done.pk}/", f"/privacy/erasures/{done.pk}/certificate.json"]
    paths += [f"/privacy/tombstones/{row.pk}/" for row in Tombstone.objects.all()]
    gone = {f"/queue/{pk}/" for pk in (believed.proposal_id, waiting.pk)}
    for user in (desk.curator, office.asks, office.confirms, auditor, admin):
        browser = client(user)
        for path in paths:
            answer = browser.get(path)
            expected = {410} if path in gone else {200, 403}
            assert answer.status_code in expected, (user, path)
            assert WORD not in answer.content.decode(), (user, path)
    page = text_of(desk.curator, f"/queue/{home.pk}/")
    assert "█" in page and "And I live in Lisbon." in page


def test_of_an_erased_subject_no_page_has_the_name_and_none_breaks(
    desk: Desk, office: Office
) -> None:
    quokka = SubjectRef("user", f"{WORD}-7", f"{WORD} Jones")
    version = desk.believe(f"{WORD} Jones likes tea", subject=quokka, attribute="taste")
    waiting = make_proposal(desk.space, f"{WORD} Jones cooks", subject=quokka)
    desk.believe("Ana likes cake")
    key = create_key(
        space_slug=desk.space.slug, name="agent", subjects=[quokka, ANA], scopes=["retrieve"],
        by=actor(make_person(desk.space, role=Role.ADMIN)), now=NOW, days=730,
    )  # fmt: skip
    office.erase("subject", version.subject_id)
    paths = [
        *PAGES,
        "/keys/",
        "/attributes/",
        "/policy/",
        "/statements/",
        f"/statements/?subject={version.subject_id}",
        f"/statements/{version.statement_id}/",
        "/conversations/",
        *(f"/conversations/{pk}/" for pk in Conversation.objects.values_list("pk", flat=True)),
        "/runs/",
        *(f"/runs/{pk}/" for pk in ExtractionRun.objects.values_list("pk", flat=True)),
        "/queue/",
        "/queue/mine/",
        f"/queue/{waiting.pk}/",
        f"/privacy/erasures/{ErasureRequest.objects.get().pk}/",
        *(f"/privacy/tombstones/{pk}/" for pk in Tombstone.objects.values_list("pk", flat=True)),
    ]
    for user in (desk.curator, office.asks, make_person(desk.space, role=Role.ADMIN)):
        browser = client(user)
        for path in paths:
            answer = browser.get(path)
            assert answer.status_code in {200, 403, 410}, (user, path)
            assert WORD not in answer.content.decode(), (user, path)
    agent = Client(headers={"Authorization": f"Bearer {key.token}"})
    answer = agent.get(f"/api/v1/statements/{version.statement_id}")
    assert answer.status_code == 200
    assert answer.json()["version"]["redacted"] is True
    assert WORD not in answer.content.decode()


def test_an_erased_card_says_when_it_went_and_takes_no_decision(desk: Desk, office: Office) -> None:
    proposal = make_proposal(desk.space, f"Ana sells {WORD}")
    office.erase("value", desk.subject.pk, words=WORD)
    path = f"/queue/{proposal.pk}/"
    page = text_of(desk.curator, path, status=410)
    assert "This was erased" in page and "1 Jun 2026" in page and "/privacy/" not in page
    done = ErasureRequest.objects.get()
    assert f"/privacy/erasures/{done.pk}/" in text_of(office.asks, path, status=410)
    form = {"request_id": str(uuid.uuid4()), "version": proposal.version}
    assert client(desk.curator).post(f"{path}approve/", form).status_code == 410
    answer = client(desk.curator).get(path, headers={**HTMX, "HX-Target": "work"})
    assert answer.headers["HX-Redirect"] == path
    text_of(desk.curator, "/queue/99999999/", status=404)


@pytest.mark.parametrize("how", ["erased", "retracted"])
def test_what_would_have_replaced_something_that_ended_is_approved_as_new(
    desk: Desk, office: Office, how: str
) -> None:
    old = desk.believe("Ana works at Contoso", attribute="employer", value="Contoso")
    new = make_proposal(
        desk.space, "Ana works at Northwind", attribute="employer", value="Northwind",
        kind="update", target_id=old.statement_id,
    )  # fmt: skip
    if how == "erased":
        office.erase("statement", old.statement_id)
    else:
        look = StatementReview(old.pk, uuid.uuid4(), "asked_to")
        ending.retract(review=look, by=actor(desk.curator), now=NOW)
    path = f"/queue/{new.pk}/"
    page = text_of(desk.curator, path)
    assert "That is no longer believed." in page and "What happened?" not in page
    assert 'name="target_seen"' not in page
    new.refresh_from_db()
    form = {"request_id": str(uuid.uuid4()), "version": new.version}
    assert client(desk.curator).post(f"{path}approve/", form).status_code == 303
    assert [row.text for row in Version.objects.current()] == ["Ana works at Northwind"]


def test_an_erased_statement_and_conversation_say_when_and_by_which_erasure(
    desk: Desk, office: Office
) -> None:
    version = desk.believe("Ana likes tea")
    conversation = Message.objects.get().conversation_id
    office.erase("conversation", conversation)
    done = f"/privacy/erasures/{ErasureRequest.objects.get().pk}/"
    for path in (f"/statements/{version.statement_id}/", f"/conversations/{conversation}/"):
        page = text_of(office.asks, path)
        assert "[erased]" in page and "1 Jun 2026" in page and done in page, path
        assert "Erase…" not in page
        page = text_of(desk.curator, path)
        assert "[erased]" in page and "1 Jun 2026" in page and "/privacy/" not in page, path


def test_privacy_officers_get_from_a_statement_and_a_conversation_to_the_dry_run(
    desk: Desk, office: Office
) -> None:
    version = desk.believe("Ana likes tea")
    conversation = Message.objects.get().conversation_id
    for path, kind, target in (
        (f"/statements/{version.statement_id}/", "statement", version.statement_id),
        (f"/conversations/{conversation}/", "conversation", conversation),
    ):
        link = f"kind={kind}&amp;target={target}"
        assert link in text_of(office.asks, path)
        for role in (Role.CURATOR, Role.ADMIN, Role.AUDITOR):
            assert link not in text_of(make_person(desk.space, role=role), path)


# --- lists ---


def test_erasures_are_listed_page_by_page_newest_first(
    desk: Desk, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.queries.erasures.ERASURES_A_PAGE", 2)
    keys = [asked(desk, office, f"Ana likes tea number {number}")[0] for number in range(5)]
    path, seen = "/privacy/erasures/", []
    for _ in range(5):
        page = text_of(office.asks, path)
        seen += re.findall(r'href="/privacy/erasures/([0-9a-f-]{36})/"', page)
        found = re.search(r'href="(/privacy/erasures/\?after=[^"]+)"', page)
        if not found:
            break
        path = found.group(1)
    assert sorted(seen) == sorted(str(key) for key in keys)
    assert text_of(office.asks, "/privacy/erasures/?after=rubbish").count("Ana likes tea") == 2


def test_the_lists_ask_as_often_for_many_rows_as_for_few(desk: Desk, office: Office) -> None:
    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as found:
            text_of(office.asks, path)
        return len(found)

    office.erase("statement", desk.believe("Ana likes tea").statement_id)
    few = [queries(path) for path in ("/privacy/erasures/", "/privacy/tombstones/")]
    for number in range(4):
        office.erase("statement", desk.believe(f"Ana owns {number} cats").statement_id)
    many = [queries(path) for path in ("/privacy/erasures/", "/privacy/tombstones/")]
    assert many == few


# --- tombstones ---


def test_a_tombstone_shows_what_it_stopped_and_lifting_opens_the_way_to_review(
    desk: Desk, office: Office
) -> None:
    office.erase("statement", desk.believe(f"Ana grows {WORD}", value=WORD).statement_id)
    again = make_proposal(desk.space, f"Ana grows {WORD}", value=WORD)
    assert again.stopped_by is not None
    path = f"/privacy/tombstones/{again.stopped_by.pk}/"
    assert f'href="{path}#stopped">1 time</a>' in text_of(office.asks, "/privacy/tombstones/")
    page = text_of(office.asks, path)
    assert f"/queue/{again.pk}/" in page and "Bring to review" not in page

    officer, form = client(office.asks), {"request_id": str(uuid.uuid4()), "note": " "}
    answer = officer.post(f"{path}lift/", form)
    assert answer.status_code == 422 and "Say why it may" in answer.content.decode()
    form["note"] = "she grows them again"
    assert [officer.post(f"{path}lift/", form).status_code for _ in range(2)] == [303, 303]
    page = text_of(office.asks, path)
    assert "she grows them again" in page and "Bring to review" in page and "/lift/" not in page
    late = {**form, "request_id": str(uuid.uuid4())}
    answer = client(office.confirms).post(f"{path}lift/", late)
    assert answer.status_code == 409 and "lifted already" in answer.content.decode()
    listed = text_of(office.asks, "/privacy/tombstones/?lifted=1")
    assert path in listed and office.asks.username in listed
    assert f'href="{path}"' not in text_of(office.asks, "/privacy/tombstones/")
    assert "a tombstone" in text_of(office.asks, "/queue/mine/")
    assert "an erasure" in text_of(office.confirms, "/queue/mine/")


def test_refused_attempts_are_counted_and_listed(desk: Desk, office: Office) -> None:
    message = make_messages(desk.space, "Hello")[0]
    known = Conversation.objects.get(pk=message.conversation_id)
    external = known.external_id
    office.erase("conversation", known.pk)
    with pytest.raises(BlockedByTombstone) as refused:
        sources.capture(
            space_id=desk.space.pk, external_id=external, source="test", messages=[],
            subjects=[BEN], by=SYSTEM, now=NOW,
        )  # fmt: skip
    tombstones.record_stopped(
        refused.value, space_id=desk.space.pk, by=SYSTEM, action="conversation.capture"
    )
    stone = refused.value.details["tombstone_id"]
    assert "1 time" in text_of(office.asks, "/privacy/tombstones/")
    page = text_of(office.asks, f"/privacy/tombstones/{stone}/")
    assert "conversation.capture" in page and "1 attempt" in page


def test_of_one_decision_the_other_tombstones_are_named(desk: Desk, office: Office) -> None:
    office.erase("statement", desk.believe("Ana grows tea", attribute="plant").statement_id)
    first, second, *_ = Tombstone.objects.order_by("pk")
    assert f"/privacy/tombstones/{second.pk}/" in text_of(
        office.asks, f"/privacy/tombstones/{first.pk}/"
    )
    lift = {"request_id": str(uuid.uuid4()), "note": "so be it"}
    client(office.asks).post(f"/privacy/tombstones/{second.pk}/lift/", lift)
    assert "Stands beside it" not in text_of(office.asks, f"/privacy/tombstones/{first.pk}/")


def test_what_was_refuted_leads_to_its_statement(desk: Desk, office: Office) -> None:
    version = desk.believe("Ana likes tea")
    look = StatementReview(version.pk, uuid.uuid4(), "not_true")
    ending.refute(review=look, by=actor(desk.curator), now=NOW)
    page = text_of(office.asks, "/privacy/tombstones/")
    assert f'<a href="/statements/{version.statement_id}/">refuted</a>' in page
