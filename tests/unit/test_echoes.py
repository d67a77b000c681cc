"""Words an agent was served are recognised when they come back, and own words are not."""

from datetime import UTC, datetime

import pytest

from extraction.echoes import without_echoes
from extraction.engines.base import EpisodeMessage
from extraction.grounding import EvidenceSpan, Grounded

SERVED = ("Ana lives in Lisbon.", "Ana has two cats.")
BLOCK = (
    "<approved_memory>\nStatements about the subject.\n"
    "- (2026-03-01 – present) Ana lives in Lisbon. [Ana, fact, approved; statement 3, version 9]\n"
    "</approved_memory>\n"
)


def message(text: str) -> EpisodeMessage:
    return EpisodeMessage(0, "user_message", "Ana", True, text, datetime(2026, 6, 1, tzinfo=UTC))


def quoting(text: str, *quotes: str) -> Grounded:
    """Ground a candidate on parts of a message, on all of it by default."""
    spans = [(text.index(quote), quote) for quote in quotes or (text,)]
    return Grounded(
        tuple(EvidenceSpan(0, at, at + len(quote), quote, "supports") for at, quote in spans)
    )


@pytest.mark.parametrize(
    "text",
    [
        "Ana lives in Lisbon.",
        "ana lives  in LISBON",
        "- Ana lives in Lisbon. Ana has two cats.",
        "Known about the user: Ana lives in Lisbon.",
        BLOCK,
        BLOCK.replace("</approved_memory>", ""),
        "- (2020-01-01 – present) Ana rows. [Ana, fact, approved; statement 4, version 12]",
    ],
)
def test_what_was_served_supports_nothing(text: str) -> None:
    found = without_echoes(quoting(text), [message(text)], served=SERVED)
    assert found.reason == "not_said_by_subject"
    assert found.evidence  # stays to be seen


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lisbon.",
        "Ana lives in Lisbon no more.",
        "Ana lives in Lisbon and rows.",
        "Note: I sold the boat.",
        f"{BLOCK}I sold the boat.",
    ],
)
def test_own_words_stay_evidence(text: str) -> None:
    grounded = quoting(text)
    assert without_echoes(grounded, [message(text)], served=SERVED) == grounded


def test_of_own_words_and_an_echo_the_own_words_stay() -> None:
    text = "Ana has two cats. I feed both my cats at nine."
    both = quoting(text, "Ana has two cats.", "I feed both my cats at nine.")
    found = without_echoes(both, [message(text)], served=SERVED)
    assert [span.quote for span in found.evidence] == ["I feed both my cats at nine."]
    assert found.reason == ""


def test_a_reason_found_before_is_kept() -> None:
    grounded = Grounded((), "ungrounded")
    assert without_echoes(grounded, [], served=SERVED) == grounded
