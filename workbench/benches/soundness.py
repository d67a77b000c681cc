"""What must hold of a space whatever happened to it: each rule as a count of what breaks it."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from knowledge.queries import chain

LOST = """
SELECT count(*) FROM unnest(%s::uuid[]) AS acknowledged(id)
WHERE NOT EXISTS (SELECT 1 FROM knowledge_decision d WHERE d.id = acknowledged.id)
"""

# Decisions about a proposal itself, and what undid them; others are about what it became.
_ABOUT_TRUST = """
SELECT d.* FROM knowledge_decision d LEFT JOIN knowledge_decision u ON u.id = d.undoes_id
WHERE coalesce(u.kind, d.kind) IN ('approve', 'confirm', 'edit', 'reject', 'defer', 'wake',
    'withdraw', 'reconsider', 'send_back')
"""

# Each takes the space and counts the rows that break the rule it is named for.
RULES = {
    "decisions are numbered without a hole and stamped in that order": """
        SELECT count(*) FROM (
            SELECT seq, at, row_number() OVER stamped AS place, lag(at) OVER stamped AS before
            FROM knowledge_decision WHERE space_id = %s WINDOW stamped AS (ORDER BY seq)
        ) AS d WHERE seq <> place OR at <= before""",
    "each decision has one event, in the same order": """
        SELECT count(*) FROM (
            SELECT count(e.seq) AS events,
                   min(e.seq) <= lag(max(e.seq)) OVER (ORDER BY d.seq) AS too_early
            FROM knowledge_decision d LEFT JOIN knowledge_auditevent e ON e.decision_id = d.id
            WHERE d.space_id = %s GROUP BY d.id
        ) AS told WHERE events <> 1 OR too_early""",
    "no slot holds two truths at one time": """
        SELECT count(*) FROM knowledge_version a JOIN knowledge_version b
        ON a.space_id = b.space_id AND a.subject_id = b.subject_id AND a.slot_key = b.slot_key
        AND a.id < b.id AND a.valid && b.valid
        AND tstzrange(a.tx_from, a.tx_to) && tstzrange(b.tx_from, b.tx_to)
        WHERE a.space_id = %s""",
    "belief begins and ends at the stamp of its decision": """
        SELECT count(*) FROM knowledge_version v
        LEFT JOIN knowledge_decision o ON o.id = v.opened_by_id
        LEFT JOIN knowledge_decision c ON c.id = v.closed_by_id
        WHERE v.space_id = %s
        AND (v.tx_from IS DISTINCT FROM o.at OR v.tx_to IS DISTINCT FROM c.at)""",
    "a proposal stands where its last decision left it": f"""
        SELECT count(*) FROM (
            SELECT DISTINCT ON (p.id) p.state, d.kind
            FROM knowledge_proposal p LEFT JOIN ({_ABOUT_TRUST}) AS d
            ON d.proposal_id = p.id AND d.kind <> 'edit'
            WHERE p.space_id = %s ORDER BY p.id, d.seq DESC
        ) AS last WHERE state <> ALL (CASE kind
            WHEN 'approve' THEN ARRAY['approved', 'awaiting_second']
            WHEN 'confirm' THEN ARRAY['approved'] WHEN 'reject' THEN ARRAY['rejected']
            WHEN 'defer' THEN ARRAY['deferred'] WHEN 'withdraw' THEN ARRAY['withdrawn']
            WHEN 'undo' THEN ARRAY['pending'] WHEN 'wake' THEN ARRAY['pending']
            WHEN 'reconsider' THEN ARRAY['pending'] WHEN 'send_back' THEN ARRAY['pending']
            ELSE ARRAY['pending', 'set_aside'] END)""",
    "no decision was written over another": f"""
        SELECT count(*) FROM knowledge_proposal p WHERE p.space_id = %s AND p.version <= (
            SELECT count(*) FROM ({_ABOUT_TRUST}) AS d WHERE d.proposal_id = p.id)""",
    "what is believed is approved, and what is approved is believed": """
        SELECT count(*) FROM knowledge_proposal p WHERE p.space_id = %s
        AND CASE WHEN p.state = 'approved' THEN NOT EXISTS (
                SELECT 1 FROM knowledge_version v JOIN knowledge_decision d ON d.id = v.opened_by_id
                WHERE d.proposal_id = p.id AND NOT EXISTS (
                    SELECT 1 FROM knowledge_decision u WHERE u.undoes_id = d.id)
                UNION ALL SELECT 1 FROM knowledge_confirmation c
                WHERE c.proposal_id = p.id AND c.undone_by_id IS NULL)
            ELSE EXISTS (
                SELECT 1 FROM knowledge_version v WHERE v.proposal_id = p.id AND v.tx_to IS NULL)
            END""",
}


def chain_of(space_id: int) -> chain.Chain:
    """Return the space's chain. **Raises**: ValueError where there is none."""
    [found] = [each for each in chain.chains() if each.space_id == space_id]
    return found


def broken_rules(*, space_id: int, acknowledged: Iterable[UUID | str]) -> dict[str, int]:
    """Return the rules that do not hold, each with how often; empty when all is well.

    ``acknowledged`` are the decisions that somebody was told were made.

    **Cost**: one query a rule.
    """
    found: dict[str, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(LOST, [[str(each) for each in acknowledged]])
        found["no acknowledged decision is lost"] = (cursor.fetchone() or (0,))[0]
        for rule, count in RULES.items():
            # A percent sign would have to be doubled; none of the rules holds one but its place.
            cursor.execute(count, [space_id])
            found[rule] = (cursor.fetchone() or (0,))[0]
    found["the audit chain holds"] = len(chain.verify(chain_of(space_id)).faults)
    return {rule: count for rule, count in found.items() if count}
