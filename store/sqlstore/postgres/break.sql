-- Ends the current term of the name $1 for $2, and reads its record as it was. It waits for no row lock, as in acquire.sql.
WITH mine AS MATERIALIZED (
    SELECT * FROM ringfence.lease WHERE name = $1 AND state = 'held' FOR UPDATE SKIP LOCKED
), c AS MATERIALIZED (
    SELECT clock_timestamp() AS now FROM (SELECT count(*) FROM mine) AS after_the_lock
), done AS (
    UPDATE ringfence.lease t
    SET state = 'forced', ended_by = $2, expires_at = c.now
    FROM mine m CROSS JOIN c
    WHERE t.name = $1 AND t.name = m.name AND t.expires_at > c.now
    RETURNING t.name, /*wake*/
), was AS (
    SELECT * FROM mine
    UNION ALL
    SELECT * FROM ringfence.lease WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM mine)
)
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= c.now THEN 'expired' ELSE l.state END,
       l.token, l.holder,
       floor(extract(epoch FROM l.granted_at) * 1000)::bigint, floor(extract(epoch FROM l.expires_at) * 1000)::bigint,
       CASE WHEN l.state = 'held' AND l.expires_at > c.now
            THEN floor(extract(epoch FROM l.expires_at - c.now) * 1000)::bigint ELSE 0 END,
       l.ended_by
FROM was l CROSS JOIN c
-- A held term that was not ended is locked by another transaction: no row, and the caller asks again.
WHERE EXISTS (SELECT 1 FROM done) OR NOT (l.state = 'held' AND l.expires_at > c.now)
