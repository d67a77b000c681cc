"""A whole day is the day of its zone: where clocks jump at midnight, and west and east of UTC."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.periods import start_of_day, whole_day
from workbench.forms import FIRST_DAY, LAST_DAY, DayField, EditForm

ZONES = (
    "UTC", "Europe/Lisbon", "America/Los_Angeles", "America/Havana", "America/Sao_Paulo",
    "Asia/Beirut", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
)  # fmt: skip


def at(text: str) -> datetime:
    """Read an instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "start", "hours"),
    [
        ("America/Los_Angeles", date(2026, 1, 15), "2026-01-15T08:00", 24),
        ("America/Los_Angeles", date(2026, 3, 8), "2026-03-08T08:00", 23),
        ("America/Los_Angeles", date(2026, 11, 1), "2026-11-01T07:00", 25),
        ("Europe/Lisbon", date(2026, 10, 25), "2026-10-24T23:00", 25),
        # At midnight the clocks go from 24:00 to 01:00: the day begins at one o'clock.
        ("America/Havana", date(2026, 3, 8), "2026-03-08T05:00", 23),
        # At one o'clock they go back to midnight: the day begins at the first of the two.
        ("America/Havana", date(2026, 11, 1), "2026-11-01T04:00", 25),
        # At midnight they go back to 23:00: that hour belongs to the day before, twice.
        ("Asia/Beirut", date(2026, 10, 24), "2026-10-23T21:00", 25),
        ("Asia/Kathmandu", date(2026, 5, 1), "2026-04-30T18:15", 24),
        ("Pacific/Kiritimati", date(2026, 1, 1), "2025-12-31T10:00", 24),
    ],
)
def test_a_day_has_the_hours_its_zone_gives_it(
    zone: str, day: date, start: str, hours: int
) -> None:
    begun, ended = whole_day(day, zone)

    assert begun == at(start)
    assert ended - begun == timedelta(hours=hours)


@given(st.dates(FIRST_DAY, LAST_DAY), st.sampled_from(ZONES))
def test_days_abut_and_begin_on_their_own_date(day: date, zone: str) -> None:
    begun, ended = whole_day(day, zone)
    here = ZoneInfo(zone)

    assert begun < ended == start_of_day(day + timedelta(days=1), zone)
    assert begun.astimezone(here).date() == day
    assert (begun - timedelta(microseconds=1)).astimezone(here).date() < day
    assert (ended - timedelta(microseconds=1)).astimezone(here).date() == day


@pytest.mark.parametrize("text", ["0001-01-01", "0999-12-31", "9999-01-01"])
def test_a_day_no_date_box_could_show_again_is_refused_in_words(text: str) -> None:
    form = EditForm({"valid_from": text})
    assert form.errors["valid_from"] == ["Give a day in the years 1000 to 9998."]


@pytest.mark.parametrize("text", ["02/03/2026", "2 Mar 2026", "2026-02-30", "2026-03-02T10:00"])
def test_a_day_is_written_in_one_way_alone(text: str) -> None:
    form = EditForm({"valid_from": "2026-03-02", "valid_to": text})
    assert "valid_from" not in form.errors
    assert form.errors["valid_to"] == ["Write the day as 2026-03-02."]


def test_a_day_that_may_be_left_out_is_none() -> None:
    assert DayField(required=False).clean("") is None
    assert EditForm({}).errors["valid_from"] == ["A start is never unknown."]
