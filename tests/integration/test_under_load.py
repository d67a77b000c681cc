"""Eight processes decide about the same two hundred statements, and nothing comes out wrong.

``LOAD_SECONDS`` in the environment sets for how long (10), ``LOAD_SEED`` what they choose (1).
"""

import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper

from knowledge.models import Decision, Space, Version
from knowledge.queries import chain
from knowledge.results import SubjectRef
from tests.factories import NOW, Desk, make_desk
from workbench.benches import seeding, soundness
from workbench.benches.processes import work_at_once

pytestmark = pytest.mark.django_db(transaction=True)

PROCESSES = 8
STATEMENTS = 200
CLAIMS_EACH = 3  # about each thing: what was said first, and what it would change to
SECONDS = float(os.environ.get("LOAD_SECONDS", "10"))
SEED = int(os.environ.get("LOAD_SEED", "1"))


def open_contested_space() -> tuple[Space, list[int], list[int]]:
    """Make a space with two curators and several claims about each of two hundred things."""
    now = NOW - timedelta(days=1)
    space = seeding.open_space(now=now)
    said = [
        seeding.Said(
            text=f"Friend {number} works at firm {turn} of town {number}.",
            about=f"Friend {number}",
            attribute="employer",
            value=f"firm {turn} of town {number}",
            at=now - timedelta(days=900 - 300 * turn),
        )
        for number in range(STATEMENTS)
        for turn in range(CLAIMS_EACH)
    ]
    subject = SubjectRef("user", "ana", "Ana")
    proposals = seeding.propose(space, subject=subject, said=said, now=now)
    return space, seeding.seat_curators(space, count=2, now=now), proposals


def total(answers: list[dict[str, Any]], name: str) -> Counter[str]:
    """Add up what the processes counted under a name."""
    return sum((Counter(answer[name]) for answer in answers), Counter())


def test_eight_processes_on_the_same_statements_get_nothing_wrong() -> None:
    space, curators, proposals = open_contested_space()
    tasks = [
        {
            "user_id": curators[place % 2],
            "proposals": proposals,
            "seconds": SECONDS,
            "seed": SEED * 100 + place,
        }
        for place in range(PROCESSES)
    ]
    answers = work_at_once("tests.integration.load_worker", tasks, patience_s=SECONDS + 120)

    acknowledged = [each for answer in answers for each in answer["acknowledged"]]
    conflicts, kinds = total(answers, "conflicts"), total(answers, "kinds")
    wrong = soundness.broken_rules(space_id=space.pk, acknowledged=acknowledged)
    print(  # noqa: T201 - figures for whoever runs this with -s
        f"\n{len(acknowledged)} decisions in {SECONDS:.0f} s {dict(kinds)},"
        f" {conflicts.total()} conflicts {dict(conflicts)}, wrong = {sum(wrong.values())}"
    )
    assert [trace for answer in answers for trace in answer["unhandled"]] == []
    assert wrong == {}
    assert {"approve", "undo", "reject"} <= set(kinds)
    # Nobody was refused for nothing: what is not acknowledged is not there either.
    assert Decision.objects.filter(space=space).count() == len(set(acknowledged))
    assert Version.objects.current().filter(space=space).count() > 10


LOST = "no acknowledged decision is lost"
FORGERIES = {
    LOST: "SELECT 1",
    "decisions are numbered without a hole and stamped in that order": (
        "UPDATE knowledge_decision SET seq = seq + 10 WHERE id = %(decision)s"
    ),
    "each decision has one event, in the same order": (
        "UPDATE knowledge_auditevent SET decision_id = NULL WHERE decision_id = %(decision)s"
    ),
    "no slot holds two truths at one time": (
        "ALTER TABLE knowledge_version DROP CONSTRAINT one_truth_per_slot;"
        "UPDATE knowledge_version SET slot_key = 'employer', valid = '[2020-01-01,)'"
    ),
    "belief begins and ends at the stamp of its decision": (
        "UPDATE knowledge_version SET tx_from = tx_from - interval '1 hour'"
    ),
    "a proposal stands where its last decision left it": (
        "UPDATE knowledge_proposal SET state = 'rejected' WHERE id = %(proposal)s"
    ),
    "no decision was written over another": (
        "UPDATE knowledge_proposal SET version = 1 WHERE id = %(proposal)s"
    ),
    "what is believed is approved, and what is approved is believed": (
        "UPDATE knowledge_proposal SET state = 'pending' WHERE id = %(proposal)s"
    ),
    "the audit chain holds": (
        'UPDATE knowledge_auditpayload SET body = \'{"text": "forged"}\' WHERE id = ('
        "SELECT payload_id FROM knowledge_auditevent WHERE decision_id = %(decision)s)"
    ),
}


@pytest.fixture
def owner_looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[CursorWrapper]:
    """The owner, who alone can put the guards to sleep, in a transaction that is taken back."""
    owner = connections["owner"]
    monkeypatch.setattr(soundness, "connection", owner)
    monkeypatch.setattr(chain, "connection", owner)
    with transaction.atomic(using="owner"), owner.cursor() as cursor:
        for table in ("version", "decision", "proposal", "auditevent", "auditpayload"):
            cursor.execute(f"ALTER TABLE knowledge_{table} DISABLE TRIGGER USER")
        yield cursor
        transaction.set_rollback(True, using="owner")


@pytest.fixture
def desk() -> Desk:
    """Two things believed."""
    desk = make_desk()
    desk.believe("Ana works at Contoso", attribute="employer", value="Contoso")
    desk.believe("Ana likes tea")
    return desk


@pytest.mark.parametrize("rule", FORGERIES)
def test_each_rule_notices_what_breaks_it(
    desk: Desk, owner_looks: CursorWrapper, rule: str
) -> None:
    acknowledged = [str(decided.decision_id) for decided in desk.decided]
    assert soundness.broken_rules(space_id=desk.space.pk, acknowledged=acknowledged) == {}

    first = desk.decided[0]
    owner_looks.execute(
        FORGERIES[rule], {"decision": str(first.decision_id), "proposal": first.proposal_id}
    )
    if rule == LOST:
        acknowledged.append("00000000-0000-4000-8000-000000000000")
    assert rule in soundness.broken_rules(space_id=desk.space.pk, acknowledged=acknowledged)


def test_every_rule_is_put_to_the_test() -> None:
    assert set(FORGERIES) == {LOST, *soundness.RULES, "the audit chain holds"}
