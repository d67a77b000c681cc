"""The plot of two times: every version inside the frame, open ends at its edge."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from knowledge.queries.lineage import VersionRow
from workbench.svg.bitemporal import BOTTOM, LEFT, RIGHT, TOP, plot

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FIRST = VersionRow(
    id=1,
    text="Ana works at Contoso",
    before="",
    state="superseded",
    live=False,
    valid_from=datetime(2024, 9, 1, tzinfo=UTC),
    valid_to=None,
    start_basis="said",
    tx_from=datetime(2025, 11, 4, tzinfo=UTC),
    tx_to=datetime(2026, 3, 11, tzinfo=UTC),
    opened_by="rosa",
    opened_at=NOW,
    happened="new",
    derivation="",
    attribute="employer",
    about="Ana",
    memory_type="fact",
    criticality="normal",
    proposal_id=1,
    redacted=False,
    flags=(),
    can_return=False,
)
CHANGE = datetime(2026, 3, 2, tzinfo=UTC)
REST = replace(
    FIRST, id=2, state="believed, past", live=True, valid_to=CHANGE, tx_from=FIRST.tx_to, tx_to=None
)
NEW = replace(
    FIRST, id=3, state="believed", live=True, valid_from=CHANGE, tx_from=FIRST.tx_to, tx_to=None
)


def test_every_version_lies_inside_the_frame() -> None:
    for box in plot([NEW, REST, FIRST], now=NOW, zone="UTC").boxes:
        assert LEFT <= box.x < box.x + box.width <= RIGHT
        assert TOP <= box.y < box.y + box.height <= BOTTOM


def test_open_ends_run_to_the_edge_and_say_so() -> None:
    new, rest, first = plot([NEW, REST, FIRST], now=NOW, zone="UTC").boxes
    assert new.x + new.width == RIGHT - 2
    assert (new.tone, rest.tone, first.tone) == ("open", "", "ended open")


def test_neighbours_in_time_meet_and_do_not_overlap() -> None:
    new, rest, first = plot([NEW, REST, FIRST], now=NOW, zone="UTC").boxes
    assert rest.x + rest.width <= new.x
    assert new.y + new.height <= first.y


def test_a_wrong_belief_is_drawn_as_one() -> None:
    wrong = replace(FIRST, state="corrected")
    assert plot([wrong, NEW], now=NOW, zone="UTC").boxes[0].tone == "wrong open"


def test_a_belief_of_this_moment_can_still_be_seen() -> None:
    fresh = replace(NEW, valid_from=NOW, tx_from=NOW)
    (box,) = plot([fresh], now=NOW, zone="UTC").boxes
    assert box.width >= 3
    assert box.height >= 3


def test_changes_within_a_day_are_labelled_with_hours_in_the_zone() -> None:
    morning = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
    first = replace(FIRST, tx_from=morning, tx_to=morning + timedelta(hours=2))
    second = replace(NEW, tx_from=morning + timedelta(hours=2))
    ticks = plot([second, first], now=morning + timedelta(hours=3), zone="Asia/Tokyo").belief_ticks
    assert [tick.label for tick in ticks] == ["11 Mar 18:00", "11 Mar 20:00"]
