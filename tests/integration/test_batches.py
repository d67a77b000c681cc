"""Several decisions by one act: exactly the frozen set, a result per item, one undo."""

import uuid

import pytest

from knowledge.commands import batches, review
from knowledge.errors import Conflict, InvalidInput, NotAllowed
from knowledge.models import AuditEvent, Decision, Proposal, Version
from knowledge.results import BatchDone
from knowledge.trust import TrustState
from tests.factories import (
    NOW,
    Desk,
    actor,
    approve,
    make_desk,
    make_person,
    make_proposal,
    seen,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def waiting(desk: Desk, count: int) -> list[Proposal]:
    """Propose several statements."""
    return [make_proposal(desk.space, f"Ana likes tea number {n}") for n in range(count)]


def frozen(proposals: list[Proposal]) -> list[tuple[int, int]]:
    """Freeze what is seen now."""
    return [(one.pk, one.version) for one in proposals]


def reject(desk: Desk, items: list[tuple[int, int]], request_id: uuid.UUID) -> BatchDone:
    """Reject a frozen set."""
    return batches.reject(
        space_id=desk.space.pk, items=items, reason_code="not_durable", request_id=request_id,
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip


def states(proposals: list[Proposal]) -> list[str]:
    """List where the proposals stand."""
    for one in proposals:
        one.refresh_from_db()
    return [one.state for one in proposals]


def test_what_changed_meanwhile_is_left_alone_and_one_undo_brings_all_back(desk: Desk) -> None:
    proposals = waiting(desk, 4)
    items = frozen(proposals)
    review.defer(review=seen(proposals[1]), until=None, by=actor(desk.curator), now=NOW)
    done = reject(desk, items, uuid.uuid4())
    assert [item.outcome for item in done.items] == ["done", "changed", "done", "done"]
    assert states(proposals) == ["rejected", "deferred", "rejected", "rejected"]
    stamps = Decision.objects.filter(batch_id=done.batch_id).values_list("at", flat=True)
    assert len(set(stamps)) == 3
    assert AuditEvent.objects.filter(action="batch.reject", ledger__space=desk.space).count() == 1
    back = batches.undo(
        batch_id=done.batch_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )
    assert [item.outcome for item in back.items] == ["done"] * 3
    assert states(proposals) == ["pending", "deferred", "pending", "pending"]
    with pytest.raises(Conflict, match="already"):
        batches.undo(
            batch_id=done.batch_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
        )


def test_a_form_that_came_twice_decides_once(desk: Desk) -> None:
    proposals, request_id = waiting(desk, 2), uuid.uuid4()
    first = reject(desk, frozen(proposals), request_id)
    again = reject(desk, frozen(proposals), request_id)
    assert (again.batch_id, again.replayed) == (first.batch_id, True)
    assert Decision.objects.filter(space=desk.space).count() == 2


def test_only_what_is_simply_new_is_approved_in_bulk(desk: Desk) -> None:
    plain = make_proposal(desk.space, "Ana likes tea")
    flagged = make_proposal(desk.space, "Ana has asthma", flags=("health",))
    update = make_proposal(desk.space, "Ana moved", kind="update")
    done = batches.approve_new(
        space_id=desk.space.pk, items=frozen([plain, flagged, update]), request_id=uuid.uuid4(),
        by=actor(desk.curator), now=NOW,
    )  # fmt: skip
    assert [item.outcome for item in done.items] == ["done", "failed", "failed"]
    assert "flag" in done.items[1].sentence
    assert Version.objects.filter(space=desk.space).count() == 1
    batches.undo(batch_id=done.batch_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW)
    assert not Version.objects.current().filter(space=desk.space).exists()


def test_an_undo_of_a_batch_names_what_something_depends_on(desk: Desk) -> None:
    one, two = waiting(desk, 2)
    done = reject(desk, frozen([one, two]), uuid.uuid4())
    review.propose_anyway(review=seen(one), by=actor(desk.curator), now=NOW)
    approve(one, by=desk.curator)
    back = batches.undo(
        batch_id=done.batch_id, request_id=uuid.uuid4(), by=actor(desk.curator), now=NOW
    )
    assert {item.proposal_id: item.outcome for item in back.items} == {
        one.pk: "changed",
        two.pk: "done",
    }
    assert states([one, two]) == [TrustState.APPROVED, TrustState.PENDING]


def test_a_batch_stays_in_its_space_and_with_its_person(desk: Desk) -> None:
    stranger = make_proposal(make_desk().space, "Bo likes tea")
    own = waiting(desk, 1)
    done = reject(desk, frozen([stranger, *own]), uuid.uuid4())
    assert [item.outcome for item in done.items] == ["failed", "done"]
    assert states([stranger]) == [TrustState.PENDING]
    other = actor(make_person(desk.space))
    back = batches.undo(batch_id=done.batch_id, request_id=uuid.uuid4(), by=other, now=NOW)
    assert [item.outcome for item in back.items] == ["failed"]
    auditor = actor(make_person(desk.space, role="auditor"))
    with pytest.raises(NotAllowed):
        batches.defer(
            space_id=desk.space.pk, items=frozen(own), until=None, request_id=uuid.uuid4(),
            by=auditor, now=NOW,
        )  # fmt: skip
    with pytest.raises(InvalidInput, match="1 to 500"):
        reject(desk, [], uuid.uuid4())
