-- What the log says beside what the tables hold: one row for each thing that does not agree, with
-- the event it is about, where there is one. The log is what can be proven, so it is believed.
WITH given AS (
    SELECT
        l.id, l.space_id, l.genesis,
        'memory workbench: ' || coalesce(s.id || ': ' || s.slug, 'system') AS seed
    FROM knowledge_ledger l LEFT JOIN knowledge_space s ON s.id = l.space_id
    WHERE l.id = %s
),
-- Each event that tells of a decision, with the decision, where it is still there.
told AS MATERIALIZED (
    SELECT
        e.seq, e.decision_id, e.actor_kind, e.actor_id, e.action, e.object_id, e.reason_code,
        e.outcome, p.body, p.erased_at IS NOT NULL AS is_emptied,
        d.id IS NOT NULL AS is_there, d.seq AS decision_seq, d.kind, d.by_id, d.note,
        d.reason_code AS decided_reason, d.proposal_id, d.statement_id,
        -- What touches more than one thing has an event of its own making.
        d.kind IN ('erase', 'lift_tombstone') AS is_wide,
        CASE d.kind
            WHEN 'erase' THEN e.action = 'erasure.done' OR e.action LIKE '%%.erase'
            WHEN 'lift_tombstone' THEN e.action = 'tombstone.lift_tombstone'
            ELSE e.action =
                CASE WHEN d.proposal_id IS NULL THEN 'statement.' ELSE 'proposal.' END || d.kind
        END AS is_its_kind,
        -- An erasure has an event for each thing that went, and then the one that tells of it.
        d.kind <> 'erase' OR e.action = 'erasure.done' AS is_whole
    FROM given
    JOIN knowledge_auditevent e ON e.ledger_id = given.id AND e.decision_id IS NOT NULL
    LEFT JOIN knowledge_decision d ON d.id = e.decision_id AND d.space_id = given.space_id
    LEFT JOIN knowledge_auditpayload p ON p.id = e.payload_id
),
-- Last what was said of a proposal's words, unless an erasure took some of it.
worded AS (
    SELECT DISTINCT ON (t.proposal_id)
        t.proposal_id, t.seq, coalesce(t.body #>> '{after,text}', t.body ->> 'text') AS said,
        bool_or(t.is_emptied) OVER (PARTITION BY t.proposal_id) AS is_emptied
    FROM told t
    WHERE t.proposal_id IS NOT NULL
        AND (t.is_emptied OR coalesce(t.body #>> '{after,text}', t.body ->> 'text') IS NOT NULL)
    ORDER BY t.proposal_id, t.seq DESC
),
opened AS (
    SELECT
        v.id, v.text, v.redacted_at, t.seq, t.is_emptied, t.body ->> 'text' AS said,
        ROW(v.about::text, v.attribute::text, v.value::text, v.memory_type::text,
            v.criticality::text, lower(v.valid),
            upper(v.valid)) AS held,
        ROW(t.body #>> '{version,about}', t.body #>> '{version,attribute}',
            t.body #>> '{version,value}', t.body #>> '{version,memory_type}',
            t.body #>> '{version,criticality}', (t.body #>> '{version,from}')::timestamptz,
            (t.body #>> '{version,to}')::timestamptz) AS given
    FROM given
    JOIN knowledge_version v ON v.space_id = given.space_id AND v.derived_from_id IS NULL
    LEFT JOIN told t ON t.decision_id = v.opened_by_id AND t.kind IN ('approve', 'confirm')
),
found AS (
    SELECT 1::bigint AS seq, 'the chain' AS about, 'does not begin as it was opened' AS why
    FROM given WHERE genesis IS DISTINCT FROM sha256(convert_to(seed, 'UTF8'))

    UNION ALL
    SELECT NULL, 'payload ' || p.id, 'belongs to no event'
    FROM given JOIN knowledge_auditpayload p ON p.space_id IS NOT DISTINCT FROM given.space_id
    WHERE NOT EXISTS (
        SELECT 1 FROM knowledge_auditevent e WHERE e.payload_id = p.id AND e.ledger_id = given.id)

    UNION ALL
    SELECT seq, 'decision ' || decision_id, 'is gone' FROM told WHERE NOT is_there

    UNION ALL
    SELECT
        min(t.seq), 'decision ' || d.id,
        CASE count(t.seq) WHEN 0 THEN 'has no event' ELSE 'has more than one event' END
    FROM given
    JOIN knowledge_decision d ON d.space_id = given.space_id
    LEFT JOIN told t ON t.decision_id = d.id AND t.is_whole
    GROUP BY d.id
    HAVING count(t.seq) <> 1

    UNION ALL
    SELECT
        t.seq, 'decision ' || t.decision_id,
        CASE
            WHEN NOT t.is_its_kind THEN 'was of another kind'
            WHEN NOT t.is_wide AND t.object_id <> coalesce(t.proposal_id, t.statement_id)::text
                THEN 'was about something else'
            WHEN t.outcome <> 'ok' THEN 'was never made'
            WHEN NOT t.is_wide AND t.reason_code <> t.decided_reason THEN 'had another reason'
            WHEN (t.actor_kind = 'user') <> (t.by_id IS NOT NULL) THEN 'was made by another'
            -- A person may have been renamed since; another person's name or number is no accident.
            WHEN NOT t.is_wide AND t.actor_kind = 'user'
                AND NOT EXISTS (SELECT 1 FROM auth_user u
                    WHERE u.id = t.by_id AND t.actor_id IN (u.id::text, u.username))
                AND EXISTS (SELECT 1 FROM auth_user u
                    WHERE t.actor_id IN (u.id::text, u.username))
                THEN 'was made by another'
            WHEN NOT t.is_wide AND NOT t.is_emptied
                AND coalesce(t.body ->> 'note', '') <> t.note THEN 'had another note'
        END
    FROM told t WHERE t.is_there

    UNION ALL
    SELECT seq, 'decision ' || decision_id, 'stands in another order than its event'
    FROM (
        SELECT seq, decision_id, decision_seq,
            max(decision_seq) OVER (
                ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM told WHERE is_there AND NOT is_wide
    ) AS ordered
    WHERE decision_seq < before

    UNION ALL
    SELECT NULL, 'decision ' || id, 'is numbered or stamped out of turn'
    FROM (
        SELECT d.id, d.seq, d.at, row_number() OVER stamped AS place, lag(d.at) OVER stamped AS before
        FROM given JOIN knowledge_decision d ON d.space_id = given.space_id
        WINDOW stamped AS (ORDER BY d.seq)
    ) AS numbered
    WHERE seq <> place OR at <= before

    UNION ALL
    SELECT
        seq, 'version ' || id,
        CASE
            WHEN seq IS NULL THEN 'was approved by nobody the log knows'
            WHEN is_emptied THEN NULL
            WHEN redacted_at IS NOT NULL THEN 'was emptied without an erasure'
            WHEN text IS DISTINCT FROM said THEN 'has not the text that was approved'
            WHEN held IS DISTINCT FROM given THEN 'is not what was approved'
        END
    FROM opened

    UNION ALL
    SELECT NULL, 'version ' || v.id, 'has not the text of the version it came from'
    FROM given
    JOIN knowledge_version v ON v.space_id = given.space_id AND v.redacted_at IS NULL
    JOIN knowledge_version o ON o.id = v.derived_from_id AND o.redacted_at IS NULL
    WHERE v.text <> o.text

    UNION ALL
    SELECT w.seq, 'proposal ' || w.proposal_id, 'has not the text that was decided about'
    FROM worded w JOIN knowledge_proposal p ON p.id = w.proposal_id
    WHERE NOT w.is_emptied AND p.redacted_at IS NULL AND p.text <> w.said
)
SELECT seq, about, why FROM found WHERE why IS NOT NULL ORDER BY seq NULLS LAST, about LIMIT %s
