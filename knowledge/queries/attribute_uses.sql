-- Current statements by attribute, and how many holders have several at the same time.
-- Sorted once by start: a period overlaps an earlier one when it begins before the last of them
-- ends, so a holder with very many values costs no more than the sort.
WITH held AS (
    SELECT
        v.attribute,
        v.statement_id,
        v.subject_id,
        CASE WHEN lower(v.about) IN ('', lower(s.name)) THEN '' ELSE lower(v.about) END AS about,
        v.valid
    FROM knowledge_version v
    JOIN knowledge_subject s ON s.id = v.subject_id
    WHERE v.space_id = %s AND v.tx_to IS NULL AND v.attribute <> ''
), compared AS (
    SELECT
        attribute,
        statement_id,
        subject_id,
        about,
        lower(valid) < max(coalesce(upper(valid), 'infinity')) OVER (
            PARTITION BY attribute, subject_id, about
            ORDER BY lower(valid), statement_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS is_second
    FROM held
)
SELECT
    attribute,
    count(DISTINCT statement_id),
    count(DISTINCT (subject_id, about)) FILTER (WHERE is_second)
FROM compared
GROUP BY attribute
