-- Ends exactly the terms asked for, and says why it did not end the others.
--
-- A row is judged after it was locked, on its newest version. It waits for no row lock, as in acquire.sql.
-- A name may come back several times: 'done' counts before 'expired', and anything before 'again'.
WITH ask AS MATERIALIZED (
    SELECT *
    FROM json_to_recordset($1::json) AS a(name text COLLATE "C", token bigint, attempt text)
), mine AS MATERIALIZED (
    SELECT l.*
    FROM ask a CROSS JOIN LATERAL (
        SELECT *
        FROM ringfence.lease l
        WHERE l.name = a.name AND l.token = a.token AND l.attempt = a.attempt AND l.state = 'held'
        FOR UPDATE SKIP LOCKED
    ) l
), done AS (
    -- Always conflicts, as in acquire.sql.
    INSERT INTO ringfence.lease AS t (name, token, attempt, holder, state, granted_at, expires_at)
    SELECT m.name, m.token, m.attempt, m.holder, m.state, m.granted_at, clock_timestamp()
    FROM mine m
    WHERE m.expires_at > clock_timestamp()
    ON CONFLICT (name) DO UPDATE SET state = 'released', expires_at = excluded.expires_at
    RETURNING name, token, /*wake*/
)
SELECT a.name,
       CASE WHEN l.token = a.token AND l.attempt = a.attempt
            THEN CASE l.state WHEN 'held' THEN 'again' ELSE l.state END
            ELSE 'superseded'
       END,
       a.token, ''::text, 0::bigint
FROM ask a LEFT JOIN LATERAL (SELECT * FROM ringfence.lease l WHERE l.name = a.name OFFSET 0) l ON true
UNION ALL
SELECT m.name, 'expired'::text, m.token, ''::text, 0::bigint FROM mine m
UNION ALL
SELECT d.name, 'done'::text, d.token, ''::text, 0::bigint FROM done d
