"""Every statement points at words that say it, and that its subject said."""

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.engines.base import Candidate, EpisodeMessage, Quote
from extraction.grounding import Grounded, ground, locate
from extraction.quotes import normalised
from extraction.spans import Span, is_boundary, snapped

SAID = datetime(2023, 5, 10, 12, tzinfo=UTC)
quick = settings(deadline=None, max_examples=150)


def message(
    index: int, text: str, *, by: str = "Ana", kind: str = "user_message"
) -> EpisodeMessage:
    return EpisodeMessage(index, kind, by, by == "Ana", text, SAID)


def candidate(text: str, *quotes: tuple[int, str], about: str = "") -> Candidate:
    evidence = tuple(Quote(index, words) for index, words in quotes)
    return Candidate(text=text, evidence=evidence, confidence=0.9, about=about)


def grounded(one: Candidate, *messages: EpisodeMessage) -> Grounded:
    return ground(one, messages, subject_name="Ana", zone="UTC")


# --- locating ---

FOUND = [
    ("I live in Rome", "Well, I live in Rome now.", "I live in Rome"),
    ("i LIVE in rome", "Well, I live in Rome now.", "I live in Rome"),
    ("I live in Rome", "Well, I live\n  in Rome now.", "I live\n  in Rome"),
    ('it\'s "fine" - really', "It’s “fine” — really!", "It’s “fine” — really"),
    ("ＡＢＣ 123", "code abc 123 here", "abc 123"),
    ("カフェ", "ｶﾌｪに行く", "ｶﾌｪ"),
    ("“I live in Rome.”", "I live in Rome, you know", "I live in Rome"),
    ("café", "the cafe\u0301 there", "cafe\u0301"),
    ("art", "a party of art", "art"),
    ("love it", "I lo\u200bve it", "lo\u200bve it"),
    ("strasse", "die Straße hier", "Straße"),
    ("我住在北京", "是的，我住在北京。", "我住在北京"),
    ("👍", "nice 👍🏽 one", "👍🏽"),
    ("family", "👩‍👩‍👧 family", "family"),
]


@pytest.mark.parametrize(("quote", "text", "words"), FOUND)
def test_a_quote_is_found_and_its_original_words_come_back(
    quote: str, text: str, words: str
) -> None:
    span = locate(quote, text)

    assert span is not None
    assert text[span.start : span.end] == words


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("I live in Milan", "I live in Rome"),
        ("", "anything"),
        ("   ", "any thing"),
        ("“”", "no quotation here"),
        ("e", "\u00e9"),
        ("e", "e\u0301"),
        ("s", "ß"),
        ("don't", "do not"),
        ("words", ""),
    ],
)
def test_what_is_not_there_is_not_found(quote: str, text: str) -> None:
    assert locate(quote, text) is None


def test_a_whole_word_is_preferred_to_a_part_of_one() -> None:
    assert locate("he", "the other he") == Span(10, 12)


@quick
@given(st.text(max_size=40), st.data())
def test_any_whole_part_of_a_text_is_found_with_equal_words(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    span = locate(quote, text)

    if not quote.strip() or not (is_boundary(text, start) and is_boundary(text, end)):
        return
    assert span is not None
    assert 0 <= span.start < span.end <= len(text)
    assert normalised(text[span.start : span.end]) == normalised(quote)


@quick
@given(st.text(max_size=30), st.text(max_size=60))
def test_a_found_span_is_inside_the_text_and_holds_the_quote(quote: str, text: str) -> None:
    span = locate(quote, text)

    if span is not None:
        assert 0 <= span.start < span.end <= len(text)
        assert is_boundary(text, span.start)
        assert is_boundary(text, span.end)
        bare = quote.strip(" \t\n\"'.,;:!?…()[]*_")
        assert normalised(bare) in normalised(text[span.start : span.end])


@quick
@given(st.text(min_size=1, max_size=40))
def test_a_quote_in_another_case_and_form_is_still_found(text: str) -> None:
    if not text.strip():
        return
    assert locate(unicodedata.normalize("NFD", text).upper(), text) is not None or text.upper() != (
        unicodedata.normalize("NFKC", text.upper())
    )


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("e\u0301", 1),
        ("👍🏽", 1),
        ("👩‍👧", 1),
        ("👩‍👧", 2),
        ("🇩🇪", 1),
        ("\r\n", 1),
        ("\u1100\u1161\u11a8", 1),
        ("❤️", 1),
    ],
)
def test_no_visible_character_is_cut_in_two(text: str, cut: int) -> None:
    assert not is_boundary(text, cut)
    assert snapped(text, Span(0, cut)) == Span(0, len(text))


def test_two_flags_may_be_parted() -> None:
    assert is_boundary("🇩🇪🇫🇷", 2)
    assert not is_boundary("🇩🇪🇫🇷", 3)


# --- grounding ---


def test_words_of_the_subject_ground_a_statement() -> None:
    told = message(0, "By the way, I work at Northwind as an engineer.")

    result = grounded(candidate("Ana works at Northwind", (0, "I work at northwind")), told)

    assert result.reason == ""
    (span,) = result.evidence
    assert told.text[span.start : span.end] == span.quote == "I work at Northwind"


@pytest.mark.parametrize(
    "one",
    [
        candidate("Ana works at Northwind", (0, "I work at Contoso")),
        candidate("Ana works at Northwind"),
        candidate("Ana works at Northwind", (9, "I work at Northwind")),
        candidate("Ana works at Northwind", (0, "I work at Northwind"), (0, "since May")),
        candidate("Ana plays the violin", (0, "I work at Northwind")),
        candidate("Ana works at Northwind with 12 people", (0, "I work at Northwind")),
        candidate("Ana works with Sarah at Northwind", (0, "I work at Northwind")),
        candidate("Sarah works at Northwind", (0, "I work at Northwind"), about="Sarah"),
    ],
    ids=["quote", "no quote", "no message", "one of two", "topic", "number", "name", "about"],
)
def test_what_the_words_do_not_hold_is_ungrounded(one: Candidate) -> None:
    result = grounded(one, message(0, "I work at Northwind"))

    assert result.reason == "ungrounded"


def test_an_echo_of_the_engines_instructions_has_no_span() -> None:
    one = candidate("Extract durable facts about the user", (0, "Extract durable facts"))

    assert grounded(one, message(0, "hello")).reason == "ungrounded"


def test_another_speakers_words_are_not_the_subjects() -> None:
    one = candidate("Ana works at Northwind", (0, "works at Northwind"))
    told = message(0, "Ana works at Northwind", by="Ben")

    assert grounded(one, told).reason == "not_said_by_subject"


@pytest.mark.parametrize("kind", ["system_message", "tool_call"])
def test_a_system_prompt_is_never_evidence(kind: str) -> None:
    one = candidate("Ana prefers short answers", (0, "prefers short answers"))
    told = message(0, "Ana prefers short answers", kind=kind)

    assert grounded(one, told).reason == "not_said_by_subject"


RECOMMENDED = message(0, "I suggest pnpm for this project.", by="assistant", kind="agent_message")


def test_a_recommendation_nobody_confirmed_is_not_the_users_fact() -> None:
    told = message(1, "Hm, what else is there?")
    alone = candidate("Ana uses pnpm for the project", (0, "pnpm for this project"))
    doubted = candidate("Ana uses pnpm", (0, "pnpm for this project"), (1, "what else is there"))

    assert grounded(alone, RECOMMENDED, told).reason == "not_said_by_subject"
    assert grounded(doubted, RECOMMENDED, told).reason == "not_said_by_subject"


def test_a_confirmed_recommendation_is_grounded_on_both_messages() -> None:
    one = candidate(
        "Ana uses pnpm for the project", (0, "pnpm for this project"), (1, "Yes, use that")
    )

    result = grounded(one, RECOMMENDED, message(1, "Yes, use that please"))

    assert result.reason == ""
    assert [span.message for span in result.evidence] == [0, 1]


def test_a_refusal_confirms_nothing() -> None:
    one = candidate(
        "Ana uses pnpm for the project", (0, "pnpm for this project"), (1, "No, don't use that")
    )

    result = grounded(one, RECOMMENDED, message(1, "No, don't use that"))

    assert result.reason == "not_said_by_subject"


def test_a_yes_before_the_recommendation_does_not_confirm_it() -> None:
    earlier = message(0, "Yes, use that")
    later = replace(RECOMMENDED, index=1)
    one = candidate(
        "Ana uses pnpm for the project", (1, "pnpm for this project"), (0, "Yes, use that")
    )

    assert grounded(one, earlier, later).reason == "not_said_by_subject"


ASKED = message(0, "How long have you been married?", by="Ben")
ANSWERED = "Asked “How long have you been married?”, Ana answered: “5 years already”"


@pytest.mark.parametrize(
    ("answer", "reason"), [("5 years already!", ""), ("Nice weather", "not_said_by_subject")]
)
def test_an_answer_may_be_read_with_the_question_it_answers(answer: str, reason: str) -> None:
    one = candidate(ANSWERED, (1, answer), (0, "How long have you been married?"))

    assert grounded(one, ASKED, message(1, answer)).reason == reason


def test_a_statement_about_a_friend_is_grounded_on_the_subjects_words() -> None:
    one = candidate("Jack hates football", (0, "My friend Jack hates football"), about="Jack")

    assert grounded(one, message(0, "My friend Jack hates football")).reason == ""


def test_a_name_said_earlier_in_the_episode_may_be_used() -> None:
    one = candidate("Ana looks for cheaper headphones than the Sonus X", (1, "Find cheaper ones"))

    result = grounded(one, message(0, "The Sonus X headphones?"), message(1, "Find cheaper ones"))

    assert result.reason == ""


def test_a_known_name_may_be_repeated_but_only_when_it_was_shown() -> None:
    one = candidate("Ana moved from Berlin to Munich", (0, "I moved to Munich"))
    told = [message(0, "I moved to Munich")]

    shown = ground(one, told, subject_name="Ana", context=["Ana lives in Berlin"])

    assert ground(one, told, subject_name="Ana").missing == ("Berlin",)
    assert shown.reason == ""


def test_a_date_written_out_comes_from_the_phrase_it_resolves() -> None:
    told = message(0, "I moved to Lisbon yesterday")
    right = candidate("Ana moved to Lisbon on 9 May 2023", (0, "I moved to Lisbon yesterday"))
    wrong = candidate("Ana moved to Lisbon on 8 May 2023", (0, "I moved to Lisbon yesterday"))

    other = candidate("Ana moved to Lisbon in June", (0, "I moved to Lisbon yesterday"))

    assert grounded(right, told).reason == ""
    assert grounded(wrong, told).missing[0] == "8"
    assert grounded(other, told).missing == ("in June",)


def test_a_date_phrase_outside_the_quote_counts_when_it_is_in_the_message() -> None:
    told = message(0, "Last year was wild. I moved to Lisbon.")
    one = candidate("Ana moved to Lisbon in 2022", (0, "I moved to Lisbon"))

    assert grounded(one, told).reason == "ungrounded"
    assert grounded(replace(one, date_phrase="Last year"), told).reason == ""
    assert grounded(replace(one, date_phrase="in 2022"), told).reason == "ungrounded"


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "安娜住在北京", "我住在北京"),
        ("ja", "アナはコーヒーが好きです", "コーヒーが好きです"),
        ("fr", "Ana travaille chez Renault", "Je travaille chez Renault"),
        ("de", "Ana wohnt in Köln", "Ich wohne in Köln"),
        ("ar", "آنا تسكن في القاهرة", "أسكن في القاهرة"),
    ],
)
def test_quotes_ground_in_the_language_they_were_said(language: str, text: str, words: str) -> None:
    one = replace(candidate(text, (0, words)), language=language)

    result = grounded(one, message(0, words))

    assert result.reason == ""
    assert result.evidence[0].quote == words


@quick
@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
def test_no_text_breaks_grounding(text: str, said: str, quote: str) -> None:
    result = grounded(candidate(text, (0, quote)), message(0, said))

    for span in result.evidence:
        assert said[span.start : span.end] == span.quote
