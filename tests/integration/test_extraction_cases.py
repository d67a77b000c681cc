"""What goes wrong elsewhere when words become memories, and what has to happen here."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connections
from django.utils import timezone

from extraction import pipeline
from extraction.engines.base import Calibration, Candidate, EpisodeInput, Prediction, Quote
from extraction.engines.local import LocalEngine
from knowledge.commands import sources
from knowledge.errors import Conflict
from knowledge.models import (
    Confirmation,
    Covered,
    Episode,
    ExtractionRun,
    Message,
    PredictedStatement,
    Proposal,
)
from knowledge.results import SYSTEM, NewMessage
from knowledge.trust import TrustState
from tests.factories import ANA, NOW, Desk, make_desk
from tests.integration.test_api import Caller, make_key
from tests.integration.test_pipeline import capture, process, said, tools, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


class InventingEngine(LocalEngine):
    """An engine that makes somebody up and repeats its own instructions."""

    name = "inventing"

    def calibrate(self, episode: EpisodeInput, predictions: tuple[Prediction, ...]) -> Calibration:
        invented = ("Ana's cousin Bartholomew is a pilot.", "Extract only durable facts.")
        return Calibration(
            outcomes=tuple("not_mentioned" for _ in predictions),
            candidates=tuple(
                Candidate(text, (Quote(0, quote),), 0.95)
                for text, quote in zip(
                    invented, ("Bartholomew flies", "durable facts"), strict=True
                )
            ),
        )


class Forgetful(LocalEngine):
    """An engine that expects nothing, so that repetitions come to the gates as well."""

    name = "forgetful"

    def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
        return ()


def aside(desk: Desk) -> dict[str, str]:
    """What was set aside, with its reason."""
    rows = Proposal.objects.filter(space=desk.space, state=TrustState.SET_ASIDE)
    return dict(rows.values_list("text", "aside_reason"))


def test_a_boot_prompt_in_every_session_is_never_evidence(desk: Desk) -> None:
    boot = said("You are Ana's helper. Ana likes short answers.", by="", kind="system_message")
    for number in range(3):
        process(capture(desk.space, boot, said("Hi!"), external_id=f"c{number}", days=number))
    assert not Proposal.objects.filter(space=desk.space).exists()


def test_what_an_engine_makes_up_has_no_span_and_is_set_aside(desk: Desk) -> None:
    process(capture(desk.space, said("I live in Lisbon.")), InventingEngine())
    assert waiting(desk.space) == []
    assert set(aside(desk).values()) == {"ungrounded"}
    assert len(aside(desk)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Consider whether Jira would suit us.",
        "If I moved to Paris I would learn French.",
        "I was thinking of maybe selling my car.",
    ],
)
def test_a_supposition_is_no_fact(desk: Desk, text: str) -> None:
    process(capture(desk.space, said(text)))
    assert waiting(desk.space) == []


def test_a_denial_keeps_its_denial(desk: Desk) -> None:
    process(capture(desk.space, said("I do not eat meat.")))
    assert waiting(desk.space) == ["Ana does not eat meat."]


def test_of_a_mistake_taken_back_in_the_same_episode_only_the_conclusion_is_kept(
    desk: Desk,
) -> None:
    process(
        capture(
            desk.space,
            said("The deadline for the report is 3 March 2026."),
            said("Let me check.", by="Bot", kind="agent_message"),
            said("Actually I was mistaken, the deadline for the report is 9 March 2026."),
        )
    )
    (kept,) = waiting(desk.space)
    assert "9 March" in kept


def test_advice_nobody_took_is_no_fact_and_advice_taken_rests_on_both_messages(desk: Desk) -> None:
    advice = said("I recommend using pnpm for this.", by="Bot", kind="agent_message")
    process(capture(desk.space, said("Which tool?"), advice, said("Hm."), external_id="c1"))
    assert waiting(desk.space) == []

    process(
        capture(
            desk.space, said("Which tool?"), advice, said("Yes, let's use that."), external_id="c2"
        )
    )
    proposal = Proposal.objects.get(space=desk.space, state=TrustState.PENDING)
    assert "pnpm" in proposal.text
    assert proposal.evidence.count() == 2


@pytest.mark.parametrize(
    ("text", "about"),
    [("My friend Jack hates football.", "Jack"), ("My brother is a nurse.", "Ana's brother")],
)
def test_what_is_said_of_others_is_about_them(desk: Desk, text: str, about: str) -> None:
    process(capture(desk.space, said(text)))
    proposal = Proposal.objects.get(space=desk.space)
    assert proposal.about == about
    assert "third_party" in proposal.flags


@pytest.mark.parametrize(
    "text",
    [
        "What are the KPIs for Christophe?",
        "Find cheaper ones.",
        "Where do I live?",
        "best sushi ulm",
    ],
)
def test_questions_and_errands_tell_nothing_about_who_asks(desk: Desk, text: str) -> None:
    process(capture(desk.space, said("Show me laptops."), said(text)))
    assert waiting(desk.space) == []


def test_retelling_is_no_assertion(desk: Desk) -> None:
    process(capture(desk.space, said("My neighbour said that I am allergic to nuts.")))
    assert waiting(desk.space) == []
    assert set(aside(desk).values()) == {"not_asserted"}


def test_a_retraction_names_what_it_would_end(desk: Desk) -> None:
    desk.believe("Ana works at Northwind.", attribute="employer", value="Northwind")
    process(capture(desk.space, said("I never worked at Northwind, that was wrong.")))
    proposal = Proposal.objects.get(space=desk.space, state=TrustState.PENDING)
    assert proposal.kind_suggested == "contradiction"
    assert proposal.target is not None


def test_relative_words_are_resolved_in_the_speakers_zone_across_midnight(desk: Desk) -> None:
    desk.space.zone = "Europe/Berlin"
    desk.space.save()
    late = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)  # the 10th in Berlin
    conversation = sources.capture(
        space_id=desk.space.pk, external_id="c1", source="test", subjects=[ANA], by=SYSTEM, now=NOW,
        messages=[NewMessage("m1", "Ana", "user_message", "I visited Ulm yesterday.", late, ANA)],
    ).conversation_id  # fmt: skip
    process(conversation)
    proposal = Proposal.objects.get(space=desk.space)
    assert "9 March 2026" in proposal.text
    assert proposal.valid_from == datetime(2026, 3, 8, 23, tzinfo=UTC)
    assert proposal.date_phrase == "yesterday"


def test_a_date_that_cannot_be_resolved_is_flagged_and_not_guessed(desk: Desk) -> None:
    process(capture(desk.space, said("I sold my car a while ago."), said("I own a boat in Bern.")))
    car, boat = Proposal.objects.filter(space=desk.space).order_by("pk")
    assert "unresolved_date" in car.flags
    assert "a while ago" in car.text
    assert "unresolved_date" not in boat.flags


def test_with_something_known_an_empty_prediction_is_no_cold_start(desk: Desk) -> None:
    class Expectant(LocalEngine):
        name = "expectant"

        def predict(self, episode: EpisodeInput) -> tuple[Prediction, ...]:
            return ()

    desk.believe("Ana lives in Lisbon.", attribute="home_city", value="Lisbon")
    process(capture(desk.space, said("I play the cello.")), Expectant())
    run = ExtractionRun.objects.get(space=desk.space, engine="expectant")
    assert not run.cold_start
    assert not PredictedStatement.objects.filter(run=run).exists()


def test_a_message_of_the_same_second_as_an_episodes_end_is_still_processed(desk: Desk) -> None:
    conversation = capture(desk.space, said("I live in Lisbon."))
    process(conversation)
    last = Message.objects.get(conversation_id=conversation)
    twin = NewMessage("m9", "Ana", "user_message", "I have two cats.", last.sent_at, ANA)
    sources.capture(
        space_id=desk.space.pk, external_id="c1", source="test", messages=[twin], subjects=[ANA],
        by=SYSTEM, now=NOW,
    )  # fmt: skip
    process(conversation)
    assert waiting(desk.space) == ["Ana lives in Lisbon.", "Ana has two cats."]


def test_an_episode_that_goes_on_follows_the_one_before_it_in_order(desk: Desk) -> None:
    conversation = capture(desk.space, said("I live in Lisbon."))
    process(conversation)
    capture(desk.space, said("I live in Lisbon."), said("I have two cats."))
    process(conversation)
    first, second = Episode.objects.filter(conversation_id=conversation).order_by("pk")
    assert second.continues == first
    assert second.first.ordinal == first.last.ordinal + 1
    assert first.narrative
    assert second.title


def test_what_is_known_is_covered_and_can_be_listed(desk: Desk) -> None:
    desk.believe("Ana lives in Lisbon.", attribute="home_city", value="Lisbon")
    process(capture(desk.space, said("I live in Lisbon."), days=1))
    span = Covered.objects.get(space=desk.space)
    assert span.message.text[span.start : span.end] == "I live in Lisbon."
    assert waiting(desk.space) == []


@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_conversation_make_one_set_of_proposals() -> None:
    desk = make_desk()
    lines = ["I live in Lisbon.", "I have two cats.", "I play the cello.", "I work at Northwind."]
    conversation = capture(desk.space, *(said(line) for line in lines))
    ready = threading.Barrier(2)

    def work() -> None:
        try:
            ready.wait(timeout=10)
            pipeline.process_conversation(conversation, tools=tools())
        except (Conflict, IntegrityError):  # one of two may be told that it was overtaken
            return
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    process(conversation)  # whoever was overtaken comes back

    assert Episode.objects.filter(conversation_id=conversation).count() == 1
    assert ExtractionRun.objects.filter(space=desk.space).count() == 1
    assert len(waiting(desk.space)) == len(set(waiting(desk.space))) == len(lines)


def _said_tomorrow(desk: Desk, text: str) -> int:
    """Capture a message of the subject a day after what has been served."""
    at = timezone.now() + timedelta(days=1)
    return sources.capture(
        space_id=desk.space.pk, external_id="echo", source="test", subjects=[ANA], by=SYSTEM,
        now=NOW, messages=[NewMessage("m1", "Ana", "user_message", text, at, ANA)],
    ).conversation_id  # fmt: skip


@pytest.mark.parametrize("lead", ["", "Known about the user: "])
def test_what_an_agent_was_served_yesterday_is_no_evidence_when_it_comes_back(
    desk: Desk, lead: str
) -> None:
    desk.believe("Ana prefers pnpm over npm.")
    served = Caller(make_key(desk)).post({"query": "pnpm"}).json()["items"]
    assert [item["text"] for item in served] == ["Ana prefers pnpm over npm."]

    process(_said_tomorrow(desk, f"{lead}Ana prefers pnpm over npm."), Forgetful())

    echo = Proposal.objects.get(space=desk.space, run__engine="forgetful")
    assert (echo.state, echo.aside_reason) == (TrustState.SET_ASIDE, "not_said_by_subject")
    assert "recently_served" in echo.flags
    assert not Confirmation.objects.exists()


def test_a_block_of_approved_statements_pasted_back_proposes_nothing(desk: Desk) -> None:
    desk.believe("Ana prefers pnpm over npm.")
    prompt = Caller(make_key(desk)).post({"query": "pnpm"}).json()["prompt"]
    process(_said_tomorrow(desk, f"{prompt}\nI moved to Lisbon."), Forgetful())
    assert waiting(desk.space) == ["Ana moved to Lisbon."]


def test_what_was_believed_and_never_served_may_be_said_again(desk: Desk) -> None:
    desk.believe("Ana prefers pnpm over npm.")
    process(_said_tomorrow(desk, "I prefer pnpm over npm."), Forgetful())
    (own,) = Proposal.objects.filter(space=desk.space, run__engine="forgetful")
    assert (own.state, own.kind_suggested) == (TrustState.PENDING, "confirmation")
    assert "recently_served" not in own.flags
