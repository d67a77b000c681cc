-- Recompute the chain of one ledger: how many events, where it ends, and the first that does not
-- hold, with why. The hash is written out here, so that nobody who changed the functions that
-- append can have their chain verify; it must say the same as knowledge/sql/audit_append.sql.
WITH given AS (
    SELECT l.id, l.space_id, l.genesis FROM knowledge_ledger l WHERE l.id = %s
),
-- Payloads that an erasure of this space says it emptied; of any space, for the system's chain.
emptied AS MATERIALIZED (
    SELECT DISTINCT named.id
    FROM given
    JOIN knowledge_auditevent e ON e.action = 'erasure.done' AND e.outcome = 'ok'
        AND (e.ledger_id = given.id OR given.space_id IS NULL)
    JOIN knowledge_auditpayload p ON p.id = e.payload_id
        AND e.commitment = sha256(p.salt || convert_to(p.body::text, 'UTF8'))
    CROSS JOIN LATERAL jsonb_array_elements_text(
        CASE jsonb_typeof(p.body -> 'payloads') WHEN 'array' THEN p.body -> 'payloads' ELSE '[]' END
    ) AS named (id)
),
looked_at AS (
    SELECT
        e.seq, e.at, e.hash,
        CASE
            WHEN e.seq <> coalesce(lag(e.seq) OVER chain, 0) + 1 THEN 'gap'
            WHEN e.at <= lag(e.at) OVER chain THEN 'time'
            WHEN e.prev_hash IS DISTINCT FROM coalesce(lag(e.hash) OVER chain, given.genesis)
                THEN 'link'
            WHEN e.hash_version <> 1 THEN 'unknown'
            WHEN e.hash IS DISTINCT FROM sha256(e.prev_hash || convert_to(jsonb_build_array(
                e.hash_version, e.ledger_id, e.seq, (extract(epoch FROM e.at) * 1000000)::bigint,
                e.actor_kind, e.actor_id, e.channel, e.action, e.outcome, e.object_type,
                e.object_id, e.subject_id, e.decision_id, e.request_id, e.reason_code,
                e.payload_id, encode(e.commitment, 'hex'))::text, 'UTF8'))
                THEN 'hash'
            WHEN (e.payload_id IS NULL) <> (e.commitment IS NULL) THEN 'extra'
            WHEN e.payload_id IS NULL THEN NULL
            WHEN p.id IS NULL THEN 'missing'
            WHEN p.space_id IS DISTINCT FROM given.space_id THEN 'foreign'
            WHEN p.erased_at IS NOT NULL AND p.body IS NULL AND p.salt IS NULL THEN
                CASE WHEN p.id::text IN (SELECT emptied.id FROM emptied) THEN NULL ELSE 'emptied' END
            WHEN e.commitment
                IS DISTINCT FROM sha256(p.salt || convert_to(p.body::text, 'UTF8'))
                THEN 'payload'
        END AS fault
    FROM given
    JOIN knowledge_auditevent e ON e.ledger_id = given.id
    LEFT JOIN knowledge_auditpayload p ON p.id = e.payload_id
    WINDOW chain AS (ORDER BY e.seq)
)
SELECT
    count(*),
    max(seq),
    (array_agg(fault ORDER BY seq) FILTER (WHERE fault IS NOT NULL))[1],
    min(seq) FILTER (WHERE fault IS NOT NULL),
    count(fault)
FROM looked_at
