"""What processes do in a home whose database server is killed: prepare, approve, prove.

Run with the product's own settings, so that the server is as durable as it is for everybody.
"""

import json
import sys
import uuid
from collections.abc import Callable
from typing import Any

from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from knowledge.commands import review
from knowledge.models import Decision, Proposal
from knowledge.queries import chain
from knowledge.results import Actor, Review, SubjectRef
from knowledge.trust import WhatHappened
from workbench.benches import seeding, soundness

SERVER_GONE = 3
REFUSALS = ("MW001", "42501")  # a guard's, and a right that was never given
CLAIMS = 200
ATTACKS = {
    "a version is rewritten": "UPDATE knowledge_version SET text = 'forged'",
    "a decision is deleted": "DELETE FROM knowledge_decision",
    "an event is changed": "UPDATE knowledge_auditevent SET action = 'nothing'",
    "a proposal is approved by nobody": (
        "UPDATE knowledge_proposal SET state = 'approved' WHERE state = 'pending'"
    ),
    "a belief comes without a decision": (
        "INSERT INTO knowledge_version SELECT * FROM knowledge_version"
    ),
}


def prepare() -> None:
    """Make the tables, a space and what waits in it; print who may approve what."""
    call_command("migrate", verbosity=0, interactive=False)
    now = timezone.now()
    space = seeding.open_space(now=now)
    said = [
        seeding.Said(
            text=f"Friend {number} works at firm {number}.",
            about=f"Friend {number}",
            attribute="employer",
            value=f"firm {number}",
            at=now,
        )
        for number in range(CLAIMS)
    ]
    proposals = seeding.propose(space, subject=SubjectRef("user", "ana", "Ana"), said=said, now=now)
    curators = seeding.seat_curators(space, count=2, now=now)
    say({"space_id": space.pk, "proposals": proposals, "curators": curators})


def approve(user_id: int, proposals: list[int]) -> None:
    """Approve one after the other, and print each decision as soon as it is acknowledged."""
    by = Actor(kind="user", id=str(user_id), channel="command", user_id=user_id)
    for proposal in Proposal.objects.filter(pk__in=proposals, state="pending").order_by("pk"):
        seen = Review(proposal.pk, proposal.version, uuid.uuid4())
        try:
            made = review.approve(review=seen, happened=WhatHappened.NEW, by=by, now=timezone.now())
        except DatabaseError:  # a server that is killed says nothing better
            sys.exit(SERVER_GONE)
        say(str(made.decision_id))


def prove(space_id: int, acknowledged: list[str]) -> None:
    """Print what is there, which rules are broken, and which attacks got through."""
    succeeded = [name for name, sql in ATTACKS.items() if attack(sql)]
    say(
        {
            "decisions": Decision.objects.filter(space_id=space_id).count(),
            "broken": soundness.broken_rules(space_id=space_id, acknowledged=acknowledged),
            "events": chain.recompute(soundness.chain_of(space_id)).events,
            "attacks_that_succeeded": succeeded,
        }
    )


def attack(sql: str) -> bool:
    """Say whether the application role gets through with this, or the guards refuse it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            transaction.set_rollback(True)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None) not in REFUSALS:
            raise
        return False
    return True


def say(what: Any) -> None:
    """Print one line of JSON at once."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do what the task on standard input names."""
    task = json.loads(sys.stdin.readline())
    acts: dict[str, Callable[..., None]] = {
        "prepare": prepare,
        "approve": approve,
        "prove": prove,
    }
    acts[task.pop("act")](**task)
