"""The local engine reads what people say about themselves, and says it by name."""

from datetime import UTC, datetime

import pytest
from hypothesis import given as any_text
from hypothesis import settings
from hypothesis import strategies as st

from extraction.engines.base import (
    Calibration,
    Candidate,
    CoveredSpan,
    EpisodeInput,
    EpisodeMessage,
    GapSpan,
    KnownStatement,
    Prediction,
)
from extraction.engines.local import LocalEngine

ENGINE = LocalEngine()
SENT = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


def episode(
    *lines: str | tuple[str, str],
    known: tuple[KnownStatement, ...] = (),
    name: str = "Ana",
    kind: str = "user",
) -> EpisodeInput:
    messages = []
    for index, line in enumerate(lines):
        who, text = line if isinstance(line, tuple) else ("user", line)
        messages.append(
            EpisodeMessage(
                index=index,
                kind="user_message" if who == "user" else f"{who}_message",
                speaker="Ana" if who == "user" else "assistant",
                by_subject=who == "user",
                text=text,
                sent_at=SENT,
            )
        )
    return EpisodeInput(
        subject_name=name, subject_kind=kind, zone="UTC", messages=tuple(messages), known=known
    )


def calibrate(given: EpisodeInput) -> Calibration:
    return ENGINE.calibrate(given, ENGINE.predict(given))


def only(given: EpisodeInput) -> Candidate:
    candidates = calibrate(given).candidates
    assert len(candidates) == 1, [c.text for c in candidates]
    return candidates[0]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("I work at Northwind.", "Ana works at Northwind."),
        ("I'm a nurse and I've two cats.", "Ana is a nurse and they have two cats."),
        ("I work at Northwind and live in Ulm.", "Ana works at Northwind and lives in Ulm."),
        ("My wife and I are moving to Lyon.", "Ana and their wife are moving to Lyon."),
        ("I don't eat meat.", "Ana doesn't eat meat."),
        ("I never said I was a baker.", "Ana never said they were a baker."),
        (
            "i've always tried to save for my own boat",
            "Ana has always tried to save for their own boat.",
        ),
        ("Our cat Miso sleeps on my desk.", "Ana's cat Miso sleeps on their desk."),
        ("Moved to Ulm with my sister.", "Ana moved to Ulm with their sister."),
        ("Haven't been to Porto yet.", "Ana hasn't been to Porto yet."),
        ("Gonna start pottery classes.", "Ana is going to start pottery classes."),
        ("Oh wow, thanks! I'd love to visit Porto 🙂", "Ana would love to visit Porto."),
    ],
)
def test_a_first_person_sentence_is_rewritten_by_name(said: str, written: str) -> None:
    assert [c.text for c in calibrate(episode(said)).candidates] == [written]


def test_the_quote_stays_as_it_was_said() -> None:
    candidate = only(episode("Hello there! By the way, I work at Northwind now."))
    assert candidate.evidence[0].quote == "By the way, I work at Northwind now."


@pytest.mark.parametrize(
    "chatter",
    [
        "Thanks so much!",
        "Sounds great, talk soon.",
        "Haha okay",
        "You did an amazing job!",
        "Good luck!",
    ],
)
def test_small_talk_becomes_nothing(chatter: str) -> None:
    assert calibrate(episode(chatter)).candidates == ()


@pytest.mark.parametrize(
    ("said", "modality"),
    [
        ("If I moved to Paris, I would rent a flat near the river.", "hypothetical"),
        ("I was thinking of maybe learning the cello.", "hypothetical"),
        ("Should I sell my flat in Porto?", "question"),
        ("My sister said that I owe her forty euros.", "quoted"),
        ("I've heard that my street will be closed.", "quoted"),
        ("I bought walnuts, and my neighbour said that I am allergic to them.", "quoted"),
        ("I tune my scheduler at work, and I've heard that it takes 75 items.", "asserted"),
        ("I don't drink coffee.", "negated"),
        ("I added a guard for errors that might occur.", "asserted"),
        ("I might learn the ukulele.", "hypothetical"),
        ("I'm not a baker.", "negated"),
        ("I live in Porto, right?", "asserted"),
        ("I can't wait to start my pottery course.", "asserted"),
    ],
)
def test_how_a_sentence_is_meant_is_named(said: str, modality: str) -> None:
    assert only(episode(said)).modality == modality


def test_a_fact_of_a_friend_is_about_the_friend() -> None:
    assert only(episode("My friend Jack hates football.")).about == "Jack"
    assert only(episode("My brother is a carpenter.")).about == "Ana's brother"
    assert only(episode("My job is exhausting me.")).about == "Ana"


def test_he_is_resolved_inside_the_pair_and_flagged_alone() -> None:
    pair = calibrate(
        episode("My friend Jack hates football. He plays the cello in my band.")
    ).candidates
    assert [c.text for c in pair] == [
        "Ana's friend Jack hates football.",
        "Jack plays the cello in Ana's band.",
    ]
    assert "unresolved_pronoun" in only(episode("He plays the cello in my band.")).notes


@pytest.mark.parametrize(
    ("said", "attribute", "value"),
    [
        ("I work at Northwind as a courier.", "employer", "Northwind"),
        ("I live in Porto with my cat.", "home_city", "Porto"),
        ("I'm vegetarian.", "diet", "vegetarian"),
        ("I'm allergic to walnuts.", "allergy", "walnuts"),
        ("My favourite tea is oolong.", "favourite_tea", "oolong"),
        ("I am a data engineer.", "job_title", "data engineer"),
        ("We use pnpm for the front end.", "package_manager", "pnpm"),
        ("I turned 41.", "age", "41"),
        ("I earn about $75,000 CAD a year.", "salary", "$75,000 CAD"),
        ("My salary went up to \u20ac4,200.", "salary", "\u20ac4,200"),
        ("I told Ben about my recent raise to $80k.", "salary", "$80k"),
        ("I raised $5,000 for the animal shelter.", "", ""),
        ("My score in the quiz proves that 5 minus 3 is 2.", "", ""),
        ("I joined a running club.", "", ""),
        ("I know the photo is from Ghent.", "", ""),
        ("I used to work at Northwind.", "", ""),
    ],
)
def test_attribute_and_value_are_read(said: str, attribute: str, value: str) -> None:
    candidate = only(episode(said))
    assert (candidate.attribute, candidate.value) == (attribute, value)


def test_an_allergy_has_high_priority() -> None:
    assert only(episode("I'm allergic to walnuts.")).criticality == "high_priority"
    assert only(episode("I live in Porto.")).criticality == "normal"


def known(
    text: str, attribute: str = "", value: str = "", *, waiting: bool = False
) -> KnownStatement:
    ref = "proposal:7" if waiting else "statement:7"
    return KnownStatement(ref=ref, text=text, attribute=attribute, value=value, waiting=waiting)


WORKS = known("Ana works at Northwind.", "employer", "Northwind")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I work at Brightwater now.", "update"),
        ("I no longer work at Northwind.", "update"),
        ("Actually, I work at Brightwater, that was wrong.", "contradiction"),
        ("I never worked at Northwind.", "contradiction"),
    ],
)
def test_another_value_speaks_to_the_known_one(said: str, kind: str) -> None:
    candidate = only(episode(said, known=(WORKS,)))
    assert (candidate.kind, candidate.target) == (kind, "statement:7")
    assert "Ana works at Northwind." in candidate.reason


def test_a_turned_liking_is_an_update() -> None:
    candidate = only(episode("I hate football now.", known=(known("Ana loves football."),)))
    assert (candidate.kind, candidate.target) == ("update", "statement:7")


def test_the_same_words_about_someone_else_target_nothing() -> None:
    mine = known("Ana's favourite player is Messi.", "favourite_player", "Messi")
    candidate = only(episode("My brother's favourite player is Ronaldo.", known=(mine,)))
    assert (candidate.kind, candidate.target) == ("new", None)


def test_a_shared_name_alone_targets_nothing() -> None:
    candidate = only(episode("Northwind painted its vans green, I saw it.", known=(WORKS,)))
    assert candidate.target is None


def test_what_was_predicted_whole_is_covered_and_not_proposed() -> None:
    given = episode("I work at Northwind.", known=(WORKS,))
    result = calibrate(given)
    assert result.candidates == ()
    assert [(s.start, s.end, s.prediction) for s in result.covered] == [(0, 20, 0)]
    assert result.outcomes == ("confirmed",)


def test_a_repeat_of_a_waiting_proposal_comes_back_as_its_confirmation() -> None:
    waiting = known("Ana works at Northwind.", "employer", "Northwind", waiting=True)
    candidate = only(episode("I work at Northwind.", known=(waiting,)))
    assert (candidate.kind, candidate.target) == ("confirmation", "proposal:7")


def test_outcomes_tell_confirmed_from_said_otherwise_and_silence() -> None:
    facts = (
        KnownStatement(
            ref="statement:1",
            text="Ana works at Northwind.",
            attribute="employer",
            value="Northwind",
        ),
        KnownStatement(ref="statement:2", text="Ana is allergic to walnuts."),
        KnownStatement(ref="statement:3", text="Ana owns a red bicycle."),
    )
    predictions = tuple(Prediction(text=k.text, rests_on=(k.ref,)) for k in facts)
    given = episode(
        "I moved to Brightwater, I work at Brightwater now. I'm allergic to walnuts.", known=facts
    )
    assert ENGINE.calibrate(given, predictions).outcomes == (
        "said_otherwise",
        "confirmed",
        "not_mentioned",
    )


def test_a_gap_marks_the_words_no_prediction_held() -> None:
    given = episode("Hi. I work at Northwind as a night courier.", known=(WORKS,))
    result = calibrate(given)
    gap = result.gaps[0]
    text = given.messages[0].text
    assert (text[gap.start : gap.end], gap.kind, gap.prediction) == ("night courier", "refines", 0)


def test_a_short_answer_is_read_with_its_question() -> None:
    given = episode(("agent", "Are you still a data analyst?"), "No, data engineer now.")
    candidate = only(given)
    assert candidate.text == "Ana is a data engineer now."
    assert [q.message for q in candidate.evidence] == [1, 0]


def test_taken_advice_rests_on_the_yes_and_on_the_advice() -> None:
    given = episode(("agent", "For the lock file I'd recommend pnpm."), "Yes, use that.")
    candidate = only(given)
    assert candidate.text == "Ana decided to use pnpm."
    assert [(q.message, q.quote) for q in candidate.evidence] == [
        (1, "Yes, use that."),
        (0, "For the lock file I'd recommend pnpm."),
    ]


def test_advice_nobody_took_is_nobodys_fact() -> None:
    given = episode(("agent", "I'd recommend pnpm."), "I will read about it tomorrow evening.")
    assert all("pnpm" not in c.text for c in calibrate(given).candidates)


def test_words_of_agents_tools_and_systems_are_no_evidence() -> None:
    given = episode(("agent", "I live in Porto."), ("system", "My name is Rex."), "Thanks!")
    assert calibrate(given).candidates == ()


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("我住在柏林，喜欢喝茶。", "zh"),
        ("J'habite à Lyon depuis deux ans et je travaille chez Brightwater.", "fr"),
        ("私は京都に住んでいます。", "ja"),
    ],
)
def test_other_languages_keep_their_words(said: str, language: str) -> None:
    candidate = only(episode(said))
    assert (candidate.text, candidate.language, candidate.about) == (said, language, "Ana")


def test_a_projects_we_is_the_project() -> None:
    candidate = only(episode("We deploy Atlas on Fridays.", name="Atlas", kind="project"))
    assert candidate.text == "The Atlas team deploys Atlas on Fridays."
    assert candidate.about == "Atlas"


def test_the_title_is_a_line_about_the_subject() -> None:
    given = episode(
        "I adopted a greyhound called Biscuit.", ("agent", "Lovely!"), "Biscuit sleeps all day."
    )
    description = ENGINE.describe(given)
    assert "greyhound" in description.title
    assert description.narrative


def test_the_relevant_is_predicted_first_and_at_most_ten() -> None:
    facts = tuple(
        KnownStatement(ref=f"statement:{n}", text=f"Ana owns hat number {n}.") for n in range(14)
    )
    target = KnownStatement(ref="statement:99", text="Ana plays the cello.")
    predictions = ENGINE.predict(episode("My cello needs strings.", known=(*facts, target)))
    assert len(predictions) == 10
    assert predictions[0].rests_on == ("statement:99",)


def test_the_same_episode_gives_the_same_answer() -> None:
    given = episode("I work at Northwind. My friend Jack hates football.", known=(WORKS,))
    assert calibrate(given) == calibrate(given)


def test_sameness_needs_numbers_and_negation_to_agree() -> None:
    assert ENGINE.judge_same("Ana lives in Porto.", "Ana lives in Porto")
    assert not ENGINE.judge_same("Ana owns 2 cats.", "Ana owns 3 cats.")
    assert not ENGINE.judge_same("Ana eats meat.", "Ana does not eat meat.")


def test_a_relative_date_is_written_out_and_starts_the_period() -> None:
    candidate = only(episode("I moved to Porto yesterday."))
    assert candidate.text == "Ana moved to Porto on 10 March 2026."
    assert candidate.valid_from == datetime(2026, 3, 10, tzinfo=UTC)
    assert (candidate.start_basis, candidate.date_phrase) == ("stated", "yesterday")


def test_since_starts_the_period_and_no_date_leaves_it_open() -> None:
    since = only(episode("I have lived in Porto since January 2024."))
    assert (since.valid_from, since.start_basis) == (datetime(2024, 1, 1, tzinfo=UTC), "stated")
    bare = only(episode("I live in Porto."))
    assert (bare.valid_from, bare.start_basis, bare.date_phrase) == (None, "said", "")


def test_a_plan_for_a_day_ahead_is_noted_and_starts_nothing() -> None:
    candidate = only(episode("I want to run a marathon in 2027."))
    assert "future_date" in candidate.notes
    assert candidate.valid_from is None


def test_leaving_speaks_to_what_is_left() -> None:
    candidate = only(episode("I left Northwind.", known=(WORKS,)))
    assert (candidate.kind, candidate.target) == ("update", "statement:7")


def test_not_this_but_that_corrects() -> None:
    photos = known("Ana keeps the photos for a year.")
    said = "I keep the photos for ninety days, not for a year."
    candidate = only(episode(said, known=(photos,)))
    assert (candidate.kind, candidate.target) == ("contradiction", "statement:7")
    assert candidate.modality == "asserted"


def test_steak_speaks_against_a_vegetarian() -> None:
    diet = known("Ana is vegetarian.", "diet", "vegetarian")
    assert only(episode("I ate a steak and loved it.", known=(diet,))).target == "statement:7"
    assert only(episode("I ate a salad with olives.", known=(diet,))).target is None


@pytest.mark.parametrize(
    "said",
    ["If I moved to Lisbon, I would sell my car.", "Should I work at Brightwater?"],
)
def test_what_is_supposed_or_asked_speaks_to_nothing(said: str) -> None:
    home = known("Ana lives in Porto.", "home_city", "Porto")
    result = calibrate(episode(said, known=(home, WORKS)))
    assert [c.target for c in result.candidates] == [None]
    assert "said_otherwise" not in result.outcomes


def test_few_shared_words_do_not_cover() -> None:
    result = calibrate(
        episode("I have Fridays off.", known=(known("Ana works from home on Fridays."),))
    )
    assert result.covered == ()
    assert [c.text for c in result.candidates] == ["Ana has Fridays off."]


def test_a_standing_order_is_kept_as_a_wish() -> None:
    candidate = only(episode(("agent", "Done."), "Never show my key in your answers."))
    assert candidate.text == "Ana asks: never show Ana's key in the assistant's answers."
    assert candidate.criticality == "high_priority"


def test_a_secret_is_no_title() -> None:
    given = episode("My api key is zx91-aa02-bb47-cc88-dd10, keep it. I live in Porto.")
    assert "zx91" not in ENGINE.describe(given).title
    assert "zx91" not in ENGINE.describe(given).narrative


def test_it_is_resolved_by_keeping_the_pair_together() -> None:
    candidate = only(episode("I painted a lake for my mother. It took me four weekends."))
    assert candidate.text == "Ana painted a lake for their mother. It took Ana four weekends."
    assert candidate.evidence[0].quote.endswith("It took me four weekends.")


def test_a_picture_caption_is_not_the_subjects_words() -> None:
    given = episode("I baked a plum cake. [shares a picture: a cake on a table]")
    result = calibrate(given)
    assert [c.text for c in result.candidates] == ["Ana baked a plum cake."]


def test_telling_words_without_a_statement_are_gaps() -> None:
    given = episode("The market here has good vegetables all year round.")
    result = calibrate(given)
    assert result.candidates == ()
    assert [(g.start, g.end, g.kind) for g in result.gaps] == [(0, 51, "unpredicted")]


def test_every_quote_stands_in_its_message() -> None:
    given = episode(
        ("agent", "Where do you live?"),
        "Porto! 🙂 And yes — I work at “Northwind”.\nMy friend Jack hates tea. He told me so.",
    )
    for candidate in calibrate(given).candidates:
        for quote in candidate.evidence:
            assert quote.quote in given.messages[quote.message].text


def test_a_date_may_be_what_the_sentence_speaks_of() -> None:
    candidate = only(episode("Yesterday was hard for me and my sister."))
    assert candidate.text == "10 March 2026 was hard for Ana and their sister."


def test_what_did_something_to_the_speaker_is_not_the_speaker() -> None:
    said = episode("I ran a race in Ulm. Really made me plan a second one in Bern.")
    texts = [c.text for c in calibrate(said).candidates]
    assert texts == ["Ana ran a race in Ulm. It made Ana plan a second one in Bern."]


_BITS = [
    "I ",
    "my ",
    "you ",
    "moved ",
    "and ",
    "?",
    ". ",
    "!",
    "\n",
    "「",
    "」",
    "我",
    "🙂",
    "'",
    "’m ",
]
_BITS += [
    "he ",
    "not ",
    "yesterday ",
    "[x]",
    "“",
    "Ana ",
    ", ",
    "not a year.",
    "use that",
    "```",
    "\u200b",
]


@settings(max_examples=60, deadline=None)
@any_text(st.lists(st.sampled_from(_BITS), max_size=25).map("".join))
def test_no_words_break_it_and_every_span_stands_in_its_message(text: str) -> None:
    given = episode(("agent", "Do you still live in Porto?"), text, known=(WORKS,))
    result = calibrate(given)
    for candidate in result.candidates:
        assert all(q.quote in given.messages[q.message].text for q in candidate.evidence)
        assert 0 <= candidate.confidence <= 1
        assert candidate.text
    spans: list[GapSpan | CoveredSpan] = [*result.gaps, *result.covered]
    for span in spans:
        assert 0 <= span.start < span.end <= len(given.messages[span.message].text)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (
            "I'm building a site in Rust and want to host it at home, can you help me?",
            "Ana is building a site in Rust and wants to host it at home.",
        ),
        ("I moved to Ulm - could you find me a gym?", "Ana moved to Ulm."),
        ("My team uses Zig, here's what I have so far:", "Ana's team uses Zig."),
    ],
)
def test_a_request_at_the_end_is_left_off_the_statement(said: str, written: str) -> None:
    candidate = only(episode(said))
    assert (candidate.text, candidate.modality) == (written, "asserted")


@pytest.mark.parametrize(
    "asked", ["How can I make this faster?", "Do I need to restart it?", "Which tea do you like?"]
)
def test_a_plain_question_becomes_nothing(asked: str) -> None:
    assert calibrate(episode(asked)).candidates == ()


def test_a_number_that_changed_is_offered_as_an_update() -> None:
    known = KnownStatement("statement:7", "Ana has 45 sources in their Zotero library.")
    candidate = only(episode("I now have 52 sources in my Zotero library.", known=(known,)))

    assert (candidate.kind, candidate.target) == ("update", "statement:7")


def test_a_question_tells_what_it_takes_as_known() -> None:
    said = episode("How can I use the fact that I won 5 interviews for producer roles?")

    assert [c.text for c in calibrate(said).candidates] == [
        "Ana won 5 interviews for producer roles."
    ]


def test_a_long_request_keeps_only_the_statement_it_begins_with() -> None:
    told = "I'm tuning the dashboard, which has recently improved to 250ms"
    given = episode(f"{told} - can you help me with {'this and ' * 80}that?")

    candidate = only(given)
    assert candidate.evidence[0].quote == told


def test_a_subject_called_user_is_no_word_of_the_sentence() -> None:
    given = episode("I need help with user sessions in Flask.", name="user")

    assert [c.text for c in calibrate(given).candidates] == [
        "User needs help with user sessions in Flask."
    ]


def test_a_second_thing_beside_a_known_liking_is_not_lost_in_a_repeat() -> None:
    known = KnownStatement("proposal:3", "Ana prefers tea and wants to learn chess.", waiting=True)
    candidate = only(episode("I prefer tea and want to learn pottery.", known=(known,)))

    assert candidate.kind != "confirmation"


def test_what_is_taken_back_in_the_same_episode_is_left_out() -> None:
    given = episode(
        "The deadline for the report is 3 March 2026.",
        "Actually I was mistaken, the deadline for the report is 9 March 2026.",
    )
    calibration = calibrate(given)

    assert ["9 March" in c.text for c in calibration.candidates] == [True]
    assert any(gap.message == 0 for gap in calibration.gaps)


def test_a_short_sentence_among_italian_ones_is_not_taken_for_english() -> None:
    given = episode("Vivo a Roma con mia sorella e lavoro in una scuola. Amo i coniglietti!")

    assert "Amo i coniglietti!" in [c.text for c in calibrate(given).candidates]


def test_a_figure_told_in_passing_is_proposed_by_itself_and_replaces_what_it_measured_before() -> (
    None
):
    known = KnownStatement(
        ref="statement:7", text="The billing API response time of Ana's app is at 400ms."
    )

    candidates = calibrate(
        episode(
            "I'm trying to speed up the billing API response time, which has now improved to "
            "250ms after some caching, but I want to make sure that I'm using the latest version "
            "of all of my dependencies. It's a small app.",
            known=(known,),
        )
    ).candidates

    told, rest = candidates
    assert (
        told.text == "The billing API response time has now improved to 250ms after some caching."
    )
    assert (told.kind, told.target) == ("update", "statement:7")
    assert "250" not in rest.text
    assert rest.text.startswith("Ana is trying to speed up the billing API response time, but they")
    assert "which has now improved" in rest.evidence[0].quote


def test_what_was_reached_by_a_day_does_not_end_with_it() -> None:
    assert only(episode("My essay draft reached 4,700 words by March 9.")).valid_to is None
    assert only(episode("I need the blue laptop by March 20.")).valid_to is not None


def test_what_was_gained_between_two_days_stays_and_a_job_does_not() -> None:
    gained = only(episode("I secured 3 interviews between April 25 and May 1, 2025."))
    assert (gained.valid_from, gained.valid_to) == (datetime(2025, 4, 25, tzinfo=UTC), None)
    job = only(episode("I worked at Northwind between April 2019 and May 2021."))
    assert job.valid_to is not None


def test_a_date_of_the_question_around_a_fact_does_not_bound_the_fact() -> None:
    said = "Between April 25 and May 1, how can I make use of the fact that I secured 5 interviews?"

    fact = only(episode(said))

    assert fact.text == "Ana secured 5 interviews."
    assert (fact.valid_from, fact.valid_to) == (None, None)
    assert fact.evidence[0].quote == "I secured 5 interviews"
