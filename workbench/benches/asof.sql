-- A copy of the versions' table in a schema of its own, with every index and constraint, filled
-- with lineages as changes and corrections leave them. The real table and its guards are not
-- touched: what is measured is reading, and a copy reads as the original does.
-- Each lineage has ten rows of which seven have ended: a first claim corrected five times, then
-- changed twice, each change leaving a remnant. A tenth of the lineages stand in a slot.
DROP SCHEMA IF EXISTS bench_asof CASCADE;
CREATE SCHEMA bench_asof;
CREATE TABLE bench_asof.knowledge_version (LIKE public.knowledge_version INCLUDING ALL);
GRANT USAGE ON SCHEMA bench_asof TO PUBLIC;
GRANT SELECT ON bench_asof.knowledge_version TO PUBLIC;

INSERT INTO bench_asof.knowledge_version (
    id, space_id, statement_id, subject_id, about, text, memory_type, criticality, attribute,
    value, slot_key, value_key, language, valid, start_basis, observed_at, tx_from, tx_to,
    opened_by_id, closed_by_id, end_reason, successor_id, derived_from_id, derivation, proposal_id
)
SELECT
    10 * lineage + step, %(space_id)s, lineage, lineage %% %(subjects)s, 'Ana',
    format('Ana has held fact number %%s in its form %%s since she began.', lineage, step),
    'fact', 'normal', format('fact_%%s', lineage), format('form %%s', step),
    CASE WHEN lineage %% 10 = 0 THEN format('fact_%%s', lineage) END,
    md5(format('%%s %%s', lineage, step)), 'en',
    tstzrange(
        began + CASE step WHEN 7 THEN change WHEN 8 THEN change WHEN 9 THEN 2 * change
            ELSE interval '0' END,
        CASE step WHEN 6 THEN began + change WHEN 8 THEN began + 2 * change END
    ),
    'stated', began,
    began + CASE WHEN step <= 5 THEN step WHEN step <= 7 THEN 6 ELSE 7 END * act,
    CASE WHEN step <= 5 THEN began + (step + 1) * act WHEN step = 7 THEN began + 7 * act END,
    gen_random_uuid(), CASE WHEN step <= 5 OR step = 7 THEN gen_random_uuid() END,
    CASE WHEN step <= 4 THEN 'corrected' WHEN step IN (5, 7) THEN 'superseded' END,
    CASE WHEN step <= 4 THEN 10 * lineage + step + 1 WHEN step = 5 THEN 10 * lineage + 7
        WHEN step = 7 THEN 10 * lineage + 9 END,
    CASE WHEN step = 6 THEN 10 * lineage + 5 WHEN step = 8 THEN 10 * lineage + 7 END,
    CASE WHEN step IN (6, 8) THEN 'remnant' END,
    lineage
FROM generate_series(0, %(lineages)s - 1) AS lineage
CROSS JOIN generate_series(0, 9) AS step
CROSS JOIN LATERAL (
    SELECT
        timestamptz '2022-01-01 00:00Z' + lineage * (interval '700 days' / %(lineages)s) AS began,
        interval '60 days' AS change,
        interval '45 days' AS act
) AS times
-- In the order a store would have written them.
ORDER BY began + CASE WHEN step <= 5 THEN step WHEN step <= 7 THEN 6 ELSE 7 END * act;

ANALYZE bench_asof.knowledge_version
