-- The words each version rests on, as known at an instant: those of its own proposal, and of what
-- confirmed it or the version it was derived from, until the confirmation was undone.
WITH RECURSIVE line AS (
    SELECT v.id AS version_id, v.id AS ancestor_id, v.derived_from_id, v.statement_id
    FROM knowledge_version v WHERE v.id = ANY(%(version_ids)s)
    UNION ALL
    SELECT line.version_id, o.id, o.derived_from_id, o.statement_id
    FROM line JOIN knowledge_version o ON o.id = line.derived_from_id
),
rests_on AS (
    SELECT v.id AS version_id, v.proposal_id, v.tx_from AS counts_from
    FROM knowledge_version v WHERE v.id = ANY(%(version_ids)s)
    UNION
    SELECT line.version_id, c.proposal_id, d.at
    FROM line
    JOIN knowledge_searchentry e ON e.version_id = line.ancestor_id AND e.source = 'quote'
    JOIN knowledge_confirmation c
        ON c.decision_id = e.decision_id AND c.confirms_id = line.statement_id
    JOIN knowledge_decision d ON d.id = c.decision_id
    LEFT JOIN knowledge_decision u ON u.id = c.undone_by_id
    WHERE d.at <= %(known_at)s AND (u.at IS NULL OR u.at > %(known_at)s)
)
SELECT r.version_id, e.id, e.quote, e.role, e.start, e."end", m.id, m.external_id, m.kind,
       m.speaker_name, m.sent_at, m.sent_at_known, m.conversation_id, r.counts_from
FROM rests_on r
JOIN knowledge_evidence e ON e.proposal_id = r.proposal_id
JOIN knowledge_message m ON m.id = e.message_id
WHERE e.quote <> ''
ORDER BY r.version_id, r.counts_from, m.sent_at, m.ordinal, e.start, e.id
