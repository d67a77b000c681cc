"""Dates in words, resolved on the time they were said, in the speaker's zone."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.date_resolver import resolve
from extraction.dates import FoundDate, absolute_text, find_dates
from extraction.errors import NaiveInstant, UnknownZone

WEDNESDAY = datetime(2023, 5, 10, 12, 0, tzinfo=UTC)


def found(text: str, language: str = "en", *, zone: str = "UTC") -> tuple[FoundDate, ...]:
    return find_dates(text, reference=WEDNESDAY, zone=zone, language=language)


def days(one: FoundDate, zone: str = "UTC") -> tuple[str, str]:
    """The first day and the day after the last, in the zone."""
    assert one.from_ is not None
    assert one.to is not None
    clock = ZoneInfo(zone)
    return one.from_.astimezone(clock).date().isoformat(), one.to.astimezone(
        clock
    ).date().isoformat()


PERIODS = [
    ("en", "I saw her yesterday", "2023-05-09", "2023-05-10"),
    ("en", "the day before yesterday", "2023-05-08", "2023-05-09"),
    ("en", "last night we danced", "2023-05-09", "2023-05-10"),
    ("en", "we met last week", "2023-05-01", "2023-05-08"),
    ("en", "the week before last", "2023-04-24", "2023-05-01"),
    ("en", "we met last weekend", "2023-05-06", "2023-05-08"),
    ("en", "two weekends ago", "2023-04-29", "2023-05-01"),
    ("en", "last month", "2023-04-01", "2023-05-01"),
    ("en", "last year", "2022-01-01", "2023-01-01"),
    ("en", "last summer", "2022-06-01", "2022-09-01"),
    ("en", "last Friday we met", "2023-05-05", "2023-05-06"),
    ("en", "Monday of last week", "2023-05-01", "2023-05-02"),
    ("en", "next week on Tuesday", "2023-05-16", "2023-05-17"),
    ("en", "three days ago", "2023-05-07", "2023-05-08"),
    ("en", "two weeks ago", "2023-04-26", "2023-04-27"),
    ("en", "3 months ago", "2023-02-01", "2023-03-01"),
    ("en", "ten years ago", "2013-01-01", "2014-01-01"),
    ("en", "in two weeks I fly", "2023-05-24", "2023-05-25"),
    ("en", "we met on 7 May 2023", "2023-05-07", "2023-05-08"),
    ("en", "born May 7th, 1990", "1990-05-07", "1990-05-08"),
    ("en", "the fifth of May 2023", "2023-05-05", "2023-05-06"),
    ("en", "2023-05-07T10:00", "2023-05-07", "2023-05-08"),
    ("en", "in June 2021", "2021-06-01", "2021-07-01"),
    ("en", "in 2019 I moved", "2019-01-01", "2020-01-01"),
    ("en", "in the summer of 2022", "2022-06-01", "2022-09-01"),
    ("en", "Q3 2021", "2021-07-01", "2021-10-01"),
    ("en", "in the 1990s", "1990-01-01", "2000-01-01"),
    ("en", "from 2014 to 2018", "2014-01-01", "2019-01-01"),
    ("en", "between March and May 2022", "2022-03-01", "2022-06-01"),
    ("en", "from 5 to 9 May 2022", "2022-05-05", "2022-05-10"),
    ("en", "two weeks before 9 June 2023", "2023-05-26", "2023-05-27"),
    ("en", "the week of June 7 2023", "2023-06-05", "2023-06-12"),
    ("de", "gestern war ich krank", "2023-05-09", "2023-05-10"),
    ("de", "letzte Woche", "2023-05-01", "2023-05-08"),
    ("de", "vor drei Jahren", "2020-01-01", "2021-01-01"),
    ("de", "am 7. Mai 2023", "2023-05-07", "2023-05-08"),
    ("de", "vom 4. bis 9. Mai 2023", "2023-05-04", "2023-05-10"),
    ("fr", "hier je suis parti", "2023-05-09", "2023-05-10"),
    ("fr", "la semaine dernière", "2023-05-01", "2023-05-08"),
    ("fr", "il y a trois ans", "2020-01-01", "2021-01-01"),
    ("fr", "le 7 mai 2023", "2023-05-07", "2023-05-08"),
    ("es", "ayer fui al mar", "2023-05-09", "2023-05-10"),
    ("es", "la semana pasada", "2023-05-01", "2023-05-08"),
    ("es", "hace tres años", "2020-01-01", "2021-01-01"),
    ("es", "el 7 de mayo de 2023", "2023-05-07", "2023-05-08"),
    ("it", "ieri", "2023-05-09", "2023-05-10"),
    ("it", "la settimana scorsa", "2023-05-01", "2023-05-08"),
    ("it", "tre anni fa", "2020-01-01", "2021-01-01"),
    ("zh", "我昨天去了北京", "2023-05-09", "2023-05-10"),
    ("zh", "上周我生病了", "2023-05-01", "2023-05-08"),
    ("zh", "上周一", "2023-05-01", "2023-05-02"),
    ("zh", "三年前我搬到上海", "2020-01-01", "2021-01-01"),
    ("zh", "二〇二三年五月七日", "2023-05-07", "2023-05-08"),
    ("ja", "昨日東京に行きました", "2023-05-09", "2023-05-10"),
    ("ja", "先週の月曜日", "2023-05-01", "2023-05-02"),
    ("ja", "2023年5月7日", "2023-05-07", "2023-05-08"),
    ("pt", "em 7 de maio de 2023", "2023-05-07", "2023-05-08"),
    ("ru", "7 мая 2023 года", "2023-05-07", "2023-05-08"),
]


@pytest.mark.parametrize(("language", "text", "first", "after"), PERIODS)
def test_a_phrase_resolves_to_whole_days(language: str, text: str, first: str, after: str) -> None:
    (one,) = found(text, language)

    assert days(one) == (first, after)
    assert not one.ambiguous


BOUNDS = [
    ("en", "since January 2023", "since", "2023-01-01"),
    ("en", "since 2023", "since", "2023-01-01"),
    ("en", "I have worked here for 3 years", "since", "2020-01-01"),
    ("en", "for the past 2 years", "since", "2021-01-01"),
    ("de", "seit Januar 2023", "since", "2023-01-01"),
    ("de", "seit drei Jahren", "since", "2020-01-01"),
    ("fr", "depuis janvier 2023", "since", "2023-01-01"),
    ("es", "desde enero de 2023", "since", "2023-01-01"),
    ("it", "da gennaio 2023", "since", "2023-01-01"),
    ("zh", "从2023年1月起", "since", "2023-01-01"),
    ("zh", "自去年以来", "since", "2022-01-01"),
    ("ja", "2023年1月から", "since", "2023-01-01"),
    ("en", "until next month", "until", "2023-07-01"),
    ("en", "by Friday", "until", "2023-05-13"),
    ("de", "bis Freitag", "until", "2023-05-13"),
    ("ja", "2024年まで", "until", "2025-01-01"),
    ("en", "after 2020", "since", "2021-01-01"),
    ("en", "before May 2020", "until", "2020-05-01"),
]


@pytest.mark.parametrize(("language", "text", "role", "bound"), BOUNDS)
def test_a_preposition_says_which_side_the_period_bounds(
    language: str, text: str, role: str, bound: str
) -> None:
    (one,) = found(text, language)
    edge = one.starts_at if role == "since" else one.ends_at

    assert one.role == role
    assert edge is not None
    assert edge.date().isoformat() == bound
    assert (one.ends_at if role == "since" else one.starts_at) is None


def test_a_range_bounds_both_sides() -> None:
    (one,) = found("I lived there from 2014 to 2018")

    assert one.role == "between"
    assert one.phrase == "from 2014 to 2018"
    assert one.starts_at == datetime(2014, 1, 1, tzinfo=UTC)
    assert one.ends_at == datetime(2019, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("weekday", range(7))
def test_since_monday_never_lies_ahead(weekday: int) -> None:
    said = WEDNESDAY + timedelta(days=weekday)
    (one,) = find_dates("since Monday", reference=said, zone="UTC", language="en")

    assert one.starts_at is not None
    assert one.starts_at <= said
    assert not one.future


def test_yesterday_is_the_speakers_yesterday_across_midnight() -> None:
    late = datetime(2023, 5, 10, 23, 30, tzinfo=UTC)  # already the 11th in Berlin

    (in_berlin,) = find_dates("yesterday", reference=late, zone="Europe/Berlin", language="en")
    (in_denver,) = find_dates("yesterday", reference=late, zone="America/Denver", language="en")

    assert in_berlin.from_ == datetime(2023, 5, 9, 22, tzinfo=UTC)
    assert in_berlin.to == datetime(2023, 5, 10, 22, tzinfo=UTC)
    assert in_denver.from_ == datetime(2023, 5, 9, 6, tzinfo=UTC)


def test_the_zone_counts_and_not_the_offset_a_message_came_with() -> None:
    tokyo = timezone(timedelta(hours=9))
    same_instant = datetime(2023, 5, 11, 8, 30, tzinfo=tokyo)

    (one,) = find_dates("today", reference=same_instant, zone="UTC", language="en")

    assert days(one) == ("2023-05-10", "2023-05-11")


def test_a_day_with_a_clock_change_is_as_long_as_it_was() -> None:
    (one,) = find_dates(
        "on 26 March 2023", reference=WEDNESDAY, zone="Europe/Berlin", language="en"
    )

    assert one.from_ is not None
    assert one.to is not None
    assert one.to - one.from_ == timedelta(hours=23)


NO_DATE = [
    ("en", "You may use it"),
    ("en", "This may take longer than expected"),
    ("en", "It may 7 people need"),
    ("en", "I sat in the sun and may march"),
    ("en", "I run every Monday and on Fridays"),
    ("en", "I finished it in two weeks"),
    ("en", "We stayed for 3 weeks"),
    ("en", "in 2000 words"),
    ("en", "see https://example.com/2023-01-02/a"),
    ("en", "call +86 138-2010-2015"),
    ("en", "version 3.11.2 runs on 10.0.0.1"),
    ("en", "I love Christmas"),
    ("en", "so excited about summer break"),
    ("en", "no date here, just 24/7 support"),
    ("en", ""),
    ("de", "Guten Morgen, ich bin da"),
    ("es", "trabajo por la mañana"),
    ("zh", "我每天跑步"),
    ("ja", "毎日走ります"),
]


@pytest.mark.parametrize(("language", "text"), NO_DATE)
def test_a_text_without_a_date_gets_none(language: str, text: str) -> None:
    assert found(text, language) == ()


UNRESOLVED = [
    ("en", "since 9999 years ago"),
    ("en", "999999 weeks ago"),
    ("en", "a few years ago"),
    ("en", "the other day"),
    ("en", "when I was a kid"),
    ("en", "on 30 February 2023"),
    ("de", "neulich"),
    ("zh", "最近"),
]


@pytest.mark.parametrize(("language", "text"), UNRESOLVED)
def test_what_cannot_be_resolved_is_reported_and_not_guessed(language: str, text: str) -> None:
    (one,) = found(text, language)

    assert not one.resolved
    assert one.phrase == text
    assert (one.from_, one.to, one.starts_at, one.ends_at) == (None, None, None, None)


AMBIGUOUS = [
    "next Friday",
    "on Monday",
    "5/7/2023",
    "The report in March",
    "her birthday is on 3 May",
]


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_a_date_with_two_readings_is_marked(text: str) -> None:
    (one,) = found(text)

    assert one.resolved
    assert one.ambiguous


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("I met her on Monday", "2023-05-08"),
        ("I will meet her on Monday", "2023-05-15"),
        ("I went there in March", "2023-03-01"),
        ("I will go there in March", "2024-03-01"),
        ("I went there in June", "2022-06-01"),
        ("13/7/2022", "2022-07-13"),
        ("I completed 3,000 words by March 9", "2023-03-09"),
        ("We had merged the last branch by March 9, and it works", "2023-03-09"),
        ("I want it completed by March 9", "2024-03-09"),
        ("The goal is to have finished by March 9", "2024-03-09"),
    ],
)
def test_the_tense_around_a_date_chooses_its_year_or_week(text: str, first: str) -> None:
    (one,) = found(text)

    assert days(one)[0] == first
    assert not one.ambiguous


def test_only_what_begins_after_today_is_future() -> None:
    assert found("tomorrow")[0].future
    assert not found("today")[0].future
    assert not found("this week")[0].future


def test_phrases_are_code_points_of_the_text_also_behind_emoji() -> None:
    text = "👩‍👩‍👧 é: I moved on 7 May 2023, and again last week"

    for one in found(text):
        assert text[one.start : one.end] == one.phrase
    assert [one.phrase for one in found(text)] == ["on 7 May 2023", "last week"]


def test_a_naive_time_and_an_unknown_zone_are_refused() -> None:
    with pytest.raises(NaiveInstant):
        find_dates("today", reference=WEDNESDAY.replace(tzinfo=None), zone="UTC")
    with pytest.raises(UnknownZone, match="Mars/Olympus"):
        find_dates("today", reference=WEDNESDAY, zone="Mars/Olympus")


WORDS_OF_TIME = st.sampled_from(
    "since until from to in on last next this May may Monday 2023 12 31 9999 0 ago weeks years "
    "before after the of - / . 年 月 日 昨天 から vor hace il y a gestern every Q1 "
    "2023-02-30".split()
)


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(st.text(max_size=60), st.lists(WORDS_OF_TIME, max_size=9).map(" ".join)),
    st.sampled_from(["en", "de", "fr", "es", "it", "zh", "ja", "ru", "xx"]),
    st.dates(min_value=date(1, 1, 1), max_value=date(9999, 12, 31)),
)
def test_no_text_and_no_year_ends_the_run(text: str, language: str, said: date) -> None:
    reference = datetime(said.year, said.month, said.day, 12, tzinfo=UTC)

    for one in find_dates(text, reference=reference, zone="UTC", language=language):
        assert 0 <= one.start < one.end <= len(text)
        assert text[one.start : one.end] == one.phrase
        if one.resolved:
            assert one.from_ is not None
            assert one.to is not None
            assert one.from_ < one.to


WRITTEN = [
    ("en", "Ana went to Rome last week", "Ana went to Rome in the week of 1 May 2023"),
    ("en", "Ana moved yesterday", "Ana moved on 9 May 2023"),
    ("en", "Yesterday Ana moved", "On 9 May 2023 Ana moved"),
    ("en", "Yesterday's call was short", "The 9 May 2023 call was short"),
    ("en", "Ana has lived here since Monday", "Ana has lived here since 8 May 2023"),
    ("en", "Ana has worked there for 3 years", "Ana has worked there since 2020"),
    ("en", "Ana moved two weeks ago", "Ana moved around 26 April 2023"),
    ("en", "Ana stays until tomorrow", "Ana stays until 11 May 2023"),
    ("en", "Ana moved a few years ago", "Ana moved a few years ago"),
    ("en", "Her birthday is on 3 May", "Her birthday is on 3 May"),
    ("en", "Ana moved on 7 May 2021", "Ana moved on 7 May 2021"),
    ("de", "Ana zog letzten Monat um", "Ana zog im April 2023 um"),
    ("fr", "Ana a déménagé hier", "Ana a déménagé le 9 mai 2023"),
    ("es", "Ana volverá el próximo mes", "Ana volverá en junio de 2023"),
    ("it", "Ana è tornata ieri", "Ana è tornata il 9 maggio 2023"),
    ("zh", "安娜昨天去了北京", "安娜2023年5月9日去了北京"),
    ("ja", "アナは先週引っ越した", "アナは2023年5月1日の週引っ越した"),
]


@pytest.mark.parametrize(("language", "text", "written"), WRITTEN)
def test_relative_dates_are_written_out_and_the_rest_stays(
    language: str, text: str, written: str
) -> None:
    assert absolute_text(text, found(text, language), "UTC") == written


def test_a_statement_takes_its_dates_from_the_words_it_came_from() -> None:
    dates = found("yeah so last week I went to Rome")

    assert absolute_text("Ana went to Rome last week.", dates, "UTC") == (
        "Ana went to Rome in the week of 1 May 2023."
    )


def test_a_day_is_written_as_the_speakers_zone_had_it() -> None:
    late = datetime(2023, 5, 10, 23, 30, tzinfo=UTC)
    dates = find_dates("yesterday", reference=late, zone="Europe/Berlin", language="en")

    assert absolute_text("yesterday", dates, "Europe/Berlin") == "on 10 May 2023"


MORE_ENGLISH = [
    ("on 22/04 we met", "2023-04-22", "2023-04-23"),
    ("we met on Oct/2", "2022-10-02", "2022-10-03"),
    ("it opened on 2019-aug-1", "2019-08-01", "2019-08-02"),
    ("it opened in Dec/2018", "2018-12-01", "2019-01-01"),
    ("it opened in 12/2015", "2015-12-01", "2016-01-01"),
    ("we moved in June–August 1992", "1992-06-01", "1992-09-01"),
    ("we went Nov 18-Dec 19, 2015", "2015-11-18", "2015-12-20"),
    ("we met on the 4th.", "2023-05-04", "2023-05-05"),
    ("we met on Friday the 5th.", "2023-05-05", "2023-05-06"),
    ("I will come on the 15th of next month", "2023-06-15", "2023-06-16"),
    ("the first week of 2015", "2014-12-29", "2015-01-05"),
    ("the last week of July 2016", "2016-07-25", "2016-08-01"),
    ("the first Monday of next month", "2023-06-05", "2023-06-06"),
    ("the first two weeks of 2021", "2021-01-04", "2021-01-18"),
    ("we met earlier this year", "2023-01-01", "2023-05-10"),
    ("I will come later this week", "2023-05-11", "2023-05-15"),
    ("I will come at the end of the month", "2023-05-16", "2023-06-01"),
    ("this coming Friday", "2023-05-12", "2023-05-13"),
    ("I will come within two weeks", "2023-05-10", "2023-05-24"),
    ("the week beginning June 7 2023", "2023-06-05", "2023-06-12"),
    ("3 weeks starting 5 June 2023", "2023-06-05", "2023-06-26"),
    ("the last two quarters", "2022-10-01", "2023-04-01"),
    ("the first quarter of 2013", "2013-01-01", "2013-04-01"),
    ("last Easter", "2023-04-09", "2023-04-10"),
    ("we will meet on Thanksgiving", "2023-11-23", "2023-11-24"),
    ("in the 90s", "1990-01-01", "2000-01-01"),
    ("in the 15th century", "1400-01-01", "1500-01-01"),
    ("born in nineteen ninety six", "1996-01-01", "1997-01-01"),
    ("in two thousand and fifteen", "2015-01-01", "2016-01-01"),
    ("before the year 2019", "2019-01-01", "2020-01-01"),
]


@pytest.mark.parametrize(("text", "first", "after"), MORE_ENGLISH)
def test_english_says_dates_in_many_ways(text: str, first: str, after: str) -> None:
    (one,) = found(text)

    assert days(one) == (first, after)


@pytest.mark.parametrize(
    "text",
    [
        "open 24/7, from 3/4 of them",
        "it will last three weeks",
        "she is in her 20s",
        "on the 4th floor",
        "I read two thousand and twenty pages",
        "until now",
    ],
)
def test_counts_and_durations_are_no_dates(text: str) -> None:
    assert found(text) == ()


def test_what_goes_on_until_now_has_no_end() -> None:
    (one,) = found("I worked there from 2014 to now")

    assert one.role == "since"
    assert one.starts_at == datetime(2014, 1, 1, tzinfo=UTC)
    assert one.ends_at is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("We met earlier this year", "We met in early 2023"),
        ("We fly at the end of the month", "We fly in late May 2023"),
        ("I work there from 2014 to now", "I work there since 2014"),
    ],
)
def test_a_part_of_a_month_or_year_is_written_by_its_name(text: str, written: str) -> None:
    assert absolute_text(text, found(text), "UTC") == written


@pytest.mark.parametrize(
    ("text", "intervals"),
    [
        ("from May to July 2022", [("2022-05-01", "2022-07-01")]),
        ("two months ago", [("2023-03-10", "2023-03-11")]),
        ("since 2020", [("2020-01-01", "2020-01-02")]),
        ("after 2018", [("2019-01-01", "2019-01-02")]),
        ("until 2020", []),
        ("no date", []),
    ],
)
def test_intervals_follow_the_convention_of_schedulers(
    text: str, intervals: list[tuple[str, str]]
) -> None:
    assert resolve(text, WEDNESDAY, language="en") == intervals
