"""How many refusals strangers caused just now: the log must not grow as fast as they can ask."""

from django.db import connection

# Of one kind, in a minute: from one address, and from all of them.
MOST_OF_AN_ADDRESS = 10
MOST_OF_ALL = 300

# Only the end of the chain is looked at, so that it costs the same however long the chain is.
_JUST_NOW = """
SELECT count(*) FILTER (WHERE p.body ->> 'address' = %s), count(*)
FROM (
    SELECT e.action, e.outcome, e.at, e.payload_id FROM knowledge_auditevent e
    WHERE e.ledger_id = (
        SELECT l.id FROM knowledge_ledger l WHERE l.space_id IS NOT DISTINCT FROM %s)
    ORDER BY e.seq DESC LIMIT 500
) AS e
LEFT JOIN knowledge_auditpayload p ON p.id = e.payload_id
WHERE e.action = %s AND e.outcome = 'denied' AND e.at > clock_timestamp() - interval '1 minute'
"""


def room_for(*, space_id: int | None, action: str, address: str) -> int:
    """Return how many more refusals of a kind may be logged now from an address.

    **Cost**: one query over the last 500 events of the chain.
    """
    with connection.cursor() as cursor:
        cursor.execute(_JUST_NOW, [address, space_id, action])
        own, of_all = cursor.fetchone() or (0, 0)
    return max(0, min(MOST_OF_AN_ADDRESS - own, MOST_OF_ALL - of_all))
