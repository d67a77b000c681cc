"""The list of what waits: order, weave, paging, filters, counts, cost."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from knowledge.commands import proposals, review
from knowledge.models import Proposal
from knowledge.queries import queue
from knowledge.queries.kept import Kept, bucket_of
from knowledge.queries.queue import QueueFilter, QueuePage, queue_page
from knowledge.queries.queue_order import ORDERS, Cursor
from tests import factories
from tests.factories import NOW, Desk, make_desk, make_proposal
from workbench.pages.address import read_cursor, write_cursor

pytestmark = pytest.mark.django_db

Read = Callable[..., QueuePage]


@pytest.fixture
def desk() -> Desk:
    """A space with a curator."""
    return make_desk()


@pytest.fixture
def read(desk: Desk) -> Read:
    """Reads a page of the desk's queue; nothing was decided today."""

    def page(cursor: Cursor | None = None, **chosen: object) -> QueuePage:
        return queue_page(
            space_id=desk.space.pk,
            user_id=desk.curator.pk,
            chosen=QueueFilter(**chosen),  # type: ignore[arg-type]  # a test names fields freely
            cursor=cursor,
            now=NOW,
            today=datetime.max.replace(tzinfo=NOW.tzinfo),
        )

    return page


def texts(page: QueuePage) -> list[str]:
    """List the statements of a page."""
    return [row.text for row in page.rows]


def walk(read: Read, **chosen: object) -> list[str]:
    """Read page after page to the end."""
    page = read(**chosen)
    found = texts(page)
    while page.next is not None:
        page = read(page.next, **chosen)
        found += texts(page)
    return found


def test_risk_goes_first_then_the_largest_gap_then_the_least_sure(desk: Desk, read: Read) -> None:
    old = desk.believe("Ana lives in Porto", attribute="home_city")
    target = old.statement_id
    make_proposal(desk.space, "new, small gap", surprise=0.2)
    make_proposal(desk.space, "new, large gap, sure", surprise=0.9, confidence=0.9)
    make_proposal(desk.space, "new, large gap, unsure", surprise=0.9, confidence=0.5)
    make_proposal(desk.space, "update", kind="update", surprise=0.1, target_id=target)
    make_proposal(desk.space, "contradiction", kind="contradiction", surprise=0.3, target_id=target)
    make_proposal(desk.space, "flagged", flags=("secret",), surprise=0.8)
    page = read()
    # The fifth place belongs to the oldest that still waits.
    assert texts(page) == [
        "flagged",
        "contradiction",
        "update",
        "new, large gap, unsure",
        "new, small gap",
        "new, large gap, sure",
    ]


def test_the_weave_goes_on_where_todays_decisions_left_it(desk: Desk) -> None:
    make_proposal(desk.space, "oldest, no risk", surprise=0.0)
    first = make_proposal(desk.space, "decided")
    for number in range(4):
        make_proposal(desk.space, f"risk {number}", flags=("secret",))
    for _ in range(4):
        review.defer(
            review=factories.seen(first),
            until=None,
            by=factories.actor(desk.curator),
            now=NOW,
        )
        review.wake(review=factories.seen(first), by=factories.actor(desk.curator), now=NOW)
    page = queue_page(
        space_id=desk.space.pk,
        user_id=desk.curator.pk,
        chosen=QueueFilter(),
        cursor=None,
        now=NOW,
        today=NOW - timedelta(days=4000),
    )
    assert page.decided_today == 4
    assert texts(page)[0] == "oldest, no risk"


@pytest.mark.parametrize("sort", list(ORDERS))
def test_pages_show_everything_once(
    desk: Desk, read: Read, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAGE_ROWS", 3)
    for number in range(11):
        flags = ("secret",) if number % 3 == 0 else ()
        make_proposal(desk.space, f"item {number}", surprise=number % 4 / 4, flags=flags)
    found = walk(read, sort=sort)
    assert sorted(found) == sorted(f"item {number}" for number in range(11))


@pytest.mark.parametrize("sort", list(ORDERS))
def test_pages_show_what_a_person_proposed_too(
    desk: Desk, read: Read, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAGE_ROWS", 3)
    for number in range(5):
        made = make_proposal(desk.space, f"item {number}")
        words = made.evidence.get().message
        proposals.propose_by_hand(
            space_id=desk.space.pk,
            subject_id=made.subject_id,
            draft=factories.draft_of(words, f"by hand {number}", gaps=()),
            by=factories.actor(desk.curator),
            now=NOW,
        )
    page, found = read(sort=sort), []
    for _ in range(8):
        found += texts(page)
        if page.next is None:
            break
        there = read_cursor(write_cursor(page.next), sort=sort)
        assert there == page.next
        page = read(there, sort=sort)
    expected = [f"{what} {number}" for what in ("item", "by hand") for number in range(5)]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("sort", list(ORDERS))
def test_nothing_is_skipped_when_rows_leave_between_pages(
    desk: Desk, read: Read, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAGE_ROWS", 3)
    for number in range(8):
        make_proposal(desk.space, f"item {number}", surprise=number / 10)
    page = read(sort=sort)
    found = texts(page)
    for row in page.rows:
        review.reject(
            review=factories.seen(Proposal.objects.get(pk=row.id)),
            reason_code="misread",
            by=factories.actor(desk.curator),
            now=NOW,
        )
    while page.next is not None:
        page = read(page.next, sort=sort)
        found += texts(page)
    assert sorted(found) == sorted(f"item {number}" for number in range(8))


def test_the_row_after_the_last_of_a_page_begins_the_next(
    desk: Desk, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PAGE_ROWS", 3)
    for number in range(5):
        make_proposal(desk.space, f"item {number}")
    page = read()
    _, after = page.neighbours(page.rows[-1].id)
    assert after == page.following
    assert read(page.next).rows[0].id == page.following
    assert page.neighbours(page.rows[0].id) == (None, page.rows[1].id)


def test_filters_keep_what_they_name_and_count_the_rest(desk: Desk, read: Read) -> None:
    old = desk.believe("Ana lives in Porto", attribute="home_city")
    make_proposal(desk.space, "update", kind="update", target_id=old.statement_id)
    make_proposal(desk.space, "secret", flags=("secret", "url"))
    make_proposal(desk.space, "diet", attribute="diet")
    assert texts(read(kind="update")) == ["update"]
    assert texts(read(flag="any")) == ["secret"]
    assert texts(read(flag="url")) == ["secret"]
    assert texts(read(attribute="diet")) == ["diet"]
    assert texts(read(band="high")) == []
    assert len(texts(read(band="unproven"))) == 3
    page = read(kind="update", flag="any")
    assert page.rows == ()
    assert (page.matching, page.facets.total, page.facets.flagged) == (0, 3, 1)
    assert page.facets.kinds == {"update": 1, "new": 2}


def test_age_keeps_what_waits_longer(desk: Desk, read: Read) -> None:
    make_proposal(desk.space, "today")
    assert texts(read(age="week")) == []
    later = queue_page(
        space_id=desk.space.pk,
        user_id=desk.curator.pk,
        chosen=QueueFilter(age="week"),
        cursor=None,
        now=NOW + timedelta(days=8),
        today=NOW,
    )
    assert texts(later) == ["today"]


def test_other_spaces_are_not_seen(desk: Desk, read: Read) -> None:
    make_proposal(make_desk().space, "elsewhere")
    make_proposal(desk.space, "here")
    assert texts(read()) == ["here"]
    assert read().tabs["pending"] == 1


def test_a_row_says_what_it_replaces_and_how_often_it_was_said(desk: Desk, read: Read) -> None:
    old = desk.believe("Ana lives in Porto", attribute="home_city")
    make_proposal(desk.space, "Ana lives in Lisbon", kind="update", target_id=old.statement_id)
    (row,) = read().rows
    assert (row.replaces, row.gaps, row.evidences) == ("Ana lives in Porto", 1, 1)


def test_the_cost_does_not_grow_with_the_rows(desk: Desk, read: Read) -> None:
    make_proposal(desk.space, "one")
    with CaptureQueriesContext(connection) as few:
        read()
    for number in range(12):
        make_proposal(desk.space, f"item {number}")
    with CaptureQueriesContext(connection) as many:
        read()
    assert len(many) == len(few) <= 10


def test_the_word_for_a_confidence_is_what_people_kept() -> None:
    kept = Kept(
        {("local", "1", 8): (27, 30), ("local", "1", 5): (18, 30), ("local", "1", 3): (2, 30)}
    )

    def word(score: float) -> str:
        return kept.confidence(engine="local", prompt="1", score=score).word

    assert [word(0.85), word(0.5), word(0.39), word(0.95)] == ["high", "medium", "low", "unproven"]
    assert kept.confidence(engine="other", prompt="1", score=0.85).word == "unproven"


def test_a_full_score_falls_into_the_last_tenth() -> None:
    assert [bucket_of(0.0), bucket_of(0.99), bucket_of(1.0)] == [0, 9, 9]
