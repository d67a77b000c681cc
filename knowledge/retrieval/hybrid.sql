-- Hybrid search over approved statements, in one statement.
--
-- `scope` holds every version the caller may see at both instants; every arm starts from it, so
-- that nothing outside it is ever counted, ranked or takes a place under a limit. `entry` reads
-- each search entry of the scope once and computes distance and matched lexemes on the way: the
-- scan is exact because no arm orders by a distance that an approximate index could answer.
WITH scope AS MATERIALIZED (
    SELECT v.id, v.criticality, v.attribute, v.value, v.tx_from, md5(v.text) AS tie
    FROM knowledge_version v
    WHERE v.space_id = %(space_id)s
      AND v.subject_id = ANY(%(subject_ids)s)
      AND v.redacted_at IS NULL
      AND v.tx_from <= %(known_at)s
      AND (%(types)s::text[] IS NULL OR v.memory_type = ANY(%(types)s::text[]))
      AND CASE
          WHEN v.tx_to IS NULL OR v.tx_to > %(known_at)s THEN
              v.valid @> %(valid_at)s::timestamptz
              OR (%(history)s AND upper(v.valid) <= %(valid_at)s)
          ELSE
              -- Belief that ended, unless what remained of it stands in its place.
              %(history)s AND lower(v.valid) <= %(valid_at)s AND NOT EXISTS (
                  SELECT 1 FROM knowledge_version d
                  WHERE d.derived_from_id = v.id AND d.tx_from <= %(known_at)s
              )
          END
),
-- In a large scope the commonest words of the query are left out, so that what is left selects
-- about `most_matches` entries. How common each is, is read off a sample chosen by content.
sample AS MATERIALIZED (
    SELECT e.lexemes
    FROM (SELECT id FROM scope ORDER BY tie, id LIMIT %(sample_size)s) s
    JOIN knowledge_searchentry e ON e.version_id = s.id
    WHERE (SELECT count(*) FROM scope) > %(sample_above)s
),
term AS (
    SELECT t.word, t.asked, (
        SELECT count(*) FROM sample WHERE sample.lexemes @@ t.asked
    ) * (SELECT greatest(count(*)::float8 / %(sample_size)s, 1) FROM scope) AS expected
    FROM unnest(%(terms)s::text[], %(asked_terms)s::tsquery[]) AS t (word, asked)
),
kept AS MATERIALIZED (
    SELECT array_agg(word) AS words, string_agg(asked::text, ' | ')::tsquery AS asked
    FROM (
        SELECT word, asked, row_number() OVER w AS place, sum(expected) OVER w AS so_far
        FROM term WINDOW w AS (ORDER BY expected, word)
    ) t
    WHERE place = 1 OR so_far <= %(most_matches)s
),
entry AS MATERIALIZED (
    SELECT e.id, e.version_id, e.source = 'around' AS is_context, e.length, s.tie,
           CASE WHEN e.lexemes @@ (SELECT asked FROM kept) THEN
               ts_filter(setweight(e.lexemes, 'A', (SELECT words FROM kept)), '{a}')
           END AS matched,
           CASE WHEN e.model = %(vector_model)s THEN
               1 - nullif(e.vector <=> %(query_vector)s::vector, 'NaN')
           END AS similarity,
           CASE WHEN e.source = 'text' THEN e.model = %(vector_model)s END AS is_embedded
    FROM scope s
    JOIN knowledge_searchentry e ON e.version_id = s.id
    WHERE e.space_id = %(space_id)s
      AND e.subject_id = ANY(%(subject_ids)s)
      AND e.known_from <= %(known_at)s
      AND (e.known_to IS NULL OR e.known_to > %(known_at)s)
),
-- How far the model of the query has come in this scope. Where it has embedded less than half, its
-- arms would lift what happens to be among the first, so words alone decide.
coverage AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE NOT is_embedded) AS missing,
           coalesce(avg(is_embedded::int) >= %(least_embedded)s, true) AS is_enough
    FROM entry
),
-- Document frequency is exact as of both instants: every entry that holds a term is a candidate.
-- All in double precision: numeric arithmetic took most of the time.
occurrence AS (
    SELECT e.id, e.version_id, e.is_context, e.length, e.tie, cardinality(u.positions)::float8 AS tf,
           count(*) OVER (PARTITION BY e.is_context, u.lexeme)::float8 AS df
    FROM entry e, LATERAL unnest(e.matched) u
    WHERE e.matched IS NOT NULL
),
collection AS (
    SELECT is_context, count(*)::float8 AS entries, greatest(avg(length), 1)::float8 AS mean_length
    FROM entry GROUP BY is_context
),
scored AS (
    SELECT o.version_id, o.is_context, o.tie,
           sum(ln(1 + (c.entries - o.df + 0.5::float8) / (o.df + 0.5::float8)) * o.tf
               * (%(k1)s::float8 + 1) / (o.tf + %(k1)s::float8 * (
                   1 - %(b)s::float8 + %(b)s::float8 * o.length / c.mean_length))) AS score
    FROM occurrence o JOIN collection c USING (is_context)
    GROUP BY o.id, o.version_id, o.is_context, o.tie
),
-- Entries collapse to the best one of their version; each arm keeps its own best.
best_lexical AS (
    SELECT is_context, version_id, tie, max(score) AS score
    FROM scored GROUP BY is_context, version_id, tie
),
best_semantic AS (
    SELECT is_context, version_id, tie, max(similarity) AS score
    FROM entry
    WHERE similarity >= %(noise_below)s AND (SELECT is_enough FROM coverage)
    GROUP BY is_context, version_id, tie
),
found AS (
    (SELECT 'lexical' AS arm, version_id, tie, score FROM best_lexical WHERE NOT is_context
     ORDER BY score DESC, tie, version_id LIMIT %(most)s)
    UNION ALL
    (SELECT 'context_lexical', version_id, tie, score FROM best_lexical WHERE is_context
     ORDER BY score DESC, tie, version_id LIMIT %(most)s)
    UNION ALL
    (SELECT 'semantic', version_id, tie, score FROM best_semantic WHERE NOT is_context
     ORDER BY score DESC, tie, version_id LIMIT %(most)s)
    UNION ALL
    (SELECT 'context_semantic', version_id, tie, score FROM best_semantic WHERE is_context
     ORDER BY score DESC, tie, version_id LIMIT %(most)s)
    UNION ALL
    (SELECT 'structured', id, tie, s.score
     FROM scope, LATERAL (SELECT
         (attribute <> '' AND string_to_array(attribute, '_') <@ %(words)s::text[])::int * 2::float8
         + (length(value) > 2 AND position(lower(value) IN %(folded)s) > 0)::int AS score
     ) s
     WHERE s.score > 0
     ORDER BY s.score DESC, tie, id LIMIT %(most)s)
    UNION ALL
    (SELECT 'critical', id, tie, extract(epoch FROM tx_from)::float8
     FROM scope WHERE criticality = 'must_include'
     ORDER BY tx_from DESC, tie, id LIMIT %(most_critical)s)
    UNION ALL
    (SELECT 'trigram', e.version_id, e.tie, max(word_similarity(%(folded)s, lower(t.text))) AS score
     FROM entry e JOIN knowledge_searchentry t ON t.id = e.id
     WHERE NOT e.is_context AND %(folded)s <> '' AND NOT EXISTS (SELECT 1 FROM scored)
       AND word_similarity(%(folded)s, lower(t.text)) >= %(trigram_below)s
     GROUP BY e.version_id, e.tie
     ORDER BY score DESC, e.tie, e.version_id LIMIT %(most)s)
),
placed AS (
    SELECT arm, version_id, score,
           row_number() OVER (PARTITION BY arm ORDER BY score DESC, tie, version_id) AS place
    FROM found
),
fused AS (
    SELECT p.version_id, sum(a.weight / (%(rank_constant)s + p.place)::float8) AS score,
           jsonb_object_agg(p.arm, jsonb_build_object('rank', p.place, 'score', p.score)) AS arms
    FROM placed p
    JOIN unnest(%(arm_names)s::text[], %(arm_weights)s::float8[]) AS a (name, weight)
        ON a.name = p.arm
    GROUP BY p.version_id
)
SELECT c.missing AS missing_vectors, c.is_enough AS used_vector,
       v.id AS version_id, v.statement_id, v.subject_id, u.kind || ':' || u.external_id AS subject,
       v.about, v.text, v.memory_type, v.criticality, v.attribute, v.value, v.language,
       lower(v.valid) AS valid_from, upper(v.valid) AS valid_to, v.start_basis,
       v.tx_from AS believed_from,
       CASE WHEN v.tx_to <= %(known_at)s THEN v.tx_to END AS believed_until,
       CASE WHEN v.tx_to <= %(known_at)s THEN v.end_reason
            WHEN upper(v.valid) <= %(valid_at)s THEN
                CASE WHEN v.derivation = 'remnant' THEN origin.end_reason ELSE 'over' END
       END AS ended,
       CASE WHEN v.tx_to <= %(known_at)s THEN v.successor_id
            WHEN upper(v.valid) <= %(valid_at)s AND v.derivation = 'remnant' THEN
                origin.successor_id
       END AS replaced_by_version_id,
       EXISTS (
           SELECT 1 FROM knowledge_contest c
           JOIN knowledge_decision opened ON opened.id = c.opened_by_id
           LEFT JOIN knowledge_decision resolved ON resolved.id = c.resolved_by_id
           WHERE v.id IN (c.version_a_id, c.version_b_id) AND opened.at <= %(known_at)s
             AND (resolved.at IS NULL OR resolved.at > %(known_at)s)
       ) AS contested,
       p.confidence, f.score / CASE WHEN c.is_enough THEN %(best_possible)s ELSE
           %(best_of_words)s END AS fused, f.arms, s.tie
FROM coverage c  -- one row also where nothing is found
LEFT JOIN fused f ON true
LEFT JOIN scope s ON s.id = f.version_id
LEFT JOIN knowledge_version v ON v.id = f.version_id
LEFT JOIN knowledge_subject u ON u.id = v.subject_id
LEFT JOIN knowledge_proposal p ON p.id = v.proposal_id
LEFT JOIN knowledge_version origin ON origin.id = v.derived_from_id
ORDER BY fused DESC, s.tie, v.id
