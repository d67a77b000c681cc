-- Recompute the audit chain of one space: how many events, and the first that does not hold.
-- An event holds when it follows its predecessor in number, time and hash, when its own hash is
-- that of its fields, and when its payload is what was committed to, or was erased since.
SELECT count(*), min(seq) FILTER (WHERE NOT holds)
FROM (
    SELECT
        e.seq,
        (
            e.seq = coalesce(lag(e.seq) OVER chain, 0) + 1
            AND e.at > coalesce(lag(e.at) OVER chain, '-infinity')
            AND e.prev_hash = coalesce(lag(e.hash) OVER chain, l.genesis)
            AND e.hash = audit_hash(e)
            AND (e.payload_id IS NULL) = (e.commitment IS NULL)
            AND (
                e.payload_id IS NULL
                OR p.erased_at IS NOT NULL
                OR e.commitment = audit_commitment(p.salt, p.body)
            )
        ) IS TRUE AS holds
    FROM knowledge_auditevent e
    JOIN knowledge_ledger l ON l.id = e.ledger_id
    LEFT JOIN knowledge_auditpayload p ON p.id = e.payload_id
    WHERE l.space_id = %s
    WINDOW chain AS (ORDER BY e.seq)
) AS chained
