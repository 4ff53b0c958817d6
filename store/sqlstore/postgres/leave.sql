-- Gives up the places of those asked for, $1, and tells whoever is next in line where nobody holds the name.
WITH ask AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS a(nth bigint, name text COLLATE "C", attempt text)
), gone AS (
    DELETE FROM ringfence.line w
    WHERE w.ctid = ANY (ARRAY(
        SELECT own.ctid
        FROM ask a CROSS JOIN LATERAL (
            SELECT l.ctid FROM ringfence.line l WHERE l.name = a.name AND l.attempt = a.attempt FOR UPDATE
        ) own
    ))
    RETURNING w.name, w.attempt
), told AS MATERIALIZED (
    SELECT /*wake*/
    FROM gone t
    WHERE NOT EXISTS (SELECT 1
                      FROM ringfence.lease l
                      WHERE l.name = t.name AND l.state = 'held' AND l.expires_at > clock_timestamp())
)
SELECT a.nth, 'done'::text, 0::bigint, ''::text, 0::bigint, (SELECT count(*) FROM told), 0::bigint
FROM ask a
