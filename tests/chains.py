"""What forgers with every right do to a log, for the tests that find them out."""

from collections.abc import Sequence
from typing import Any

from django.db import connections

from knowledge.queries import chain
from knowledge.queries.chain import Chain, Verified
from tests.databases import guards_lifted

# The hash of an event as `audit_append` makes it; a forger has the same function at hand.
REHASH = """
DO $$
DECLARE e knowledge_auditevent; before bytea;
BEGIN
    FOR e IN SELECT t.* FROM knowledge_auditevent t
        WHERE t.ledger_id = {ledger} AND t.seq >= {seq} ORDER BY t.seq LOOP
        SELECT p.hash INTO before FROM knowledge_auditevent p
            WHERE p.ledger_id = e.ledger_id AND p.seq < e.seq ORDER BY p.seq DESC LIMIT 1;
        IF before IS NOT NULL THEN e.prev_hash := before; END IF;
        UPDATE knowledge_auditevent SET prev_hash = e.prev_hash, hash = audit_hash(e)
            WHERE id = e.id;
    END LOOP;
END $$
"""


def chain_of(space_id: int | None) -> Chain:
    """Return the space's chain, or the system's."""
    [found] = [each for each in chain.chains() if each.space_id == space_id]
    return found


def verified(space_id: int | None) -> Verified:
    """Verify the space's chain."""
    return chain.verify(chain_of(space_id))


def forge(*statements: str, given: Sequence[Any] = ()) -> None:
    """Do as the owner of the tables what no guard would let pass, with the guards off."""
    with guards_lifted(), connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, given or None)
