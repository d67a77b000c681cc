"""Valid periods are half-open, finite or open, aware and never empty."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import InvalidPeriod
from knowledge.periods import Period, check_instant, make_period, remnants, start_of_day, whole_day

# Hypothesis wants its bounds naive.
FIRST = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
LAST = datetime(2100, 1, 1, tzinfo=UTC).replace(tzinfo=None)
INSTANTS = st.datetimes(min_value=FIRST, max_value=LAST, timezones=st.just(UTC))


@pytest.mark.parametrize("hours", [0, -1])
def test_an_empty_or_inverted_period_is_refused(hours: int) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidPeriod, match="must be after its start"):
        make_period(start, start + timedelta(hours=hours))


def test_a_naive_instant_is_refused_with_what_to_write() -> None:
    with pytest.raises(InvalidPeriod, match="with an offset"):
        check_instant(FIRST, field="valid_from")


def test_a_whole_day_is_the_day_of_its_zone_even_when_clocks_change() -> None:
    start, end = whole_day(date(2026, 3, 29), "Europe/Lisbon")
    assert start == datetime(2026, 3, 29, 0, tzinfo=UTC)
    assert end - start == timedelta(hours=23)
    assert start_of_day(date(1970, 1, 1), "UTC") == datetime(1970, 1, 1, tzinfo=UTC)


@given(INSTANTS, INSTANTS, INSTANTS, INSTANTS)
def test_remnants_and_the_new_period_cover_the_old_without_overlap(
    a: datetime, b: datetime, c: datetime, d: datetime
) -> None:
    lower, upper = sorted((a, b))
    start, end = sorted((c, d))
    if lower == upper or start == end:
        return
    old = make_period(lower, upper)
    left, right = remnants(old, start=start, end=end)
    for instant in (lower, upper - timedelta(microseconds=1), start, end):
        in_old = lower <= instant < upper
        in_new = start <= instant < end
        assert holds(left, instant) + holds(right, instant) == (in_old and not in_new)


def holds(period: Period | None, instant: datetime) -> bool:
    """Say whether a half-open, bounded period holds the instant."""
    if period is None or period.lower is None or period.upper is None:
        return False
    return period.lower <= instant < period.upper
