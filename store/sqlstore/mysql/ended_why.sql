-- Reads what became of the terms asked for, $1, of which the statement numbered $2 has changed some, and how the others ended.
SELECT a.name,
       CASE WHEN @@autocommit <> 1 THEN 'manual'
            /*M! WHEN @@in_transaction > $3 THEN 'within' */
            WHEN l.name IS NULL OR l.token <> a.token OR l.attempt <> a.attempt THEN 'superseded'
            WHEN l.batch = $2 THEN 'done'
            WHEN l.state <> 'held' THEN l.state
            WHEN l.expires_at <= c.moment THEN 'expired'
            ELSE 'again'
       END,
       a.token, x'', 0
FROM ($1) a
CROSS JOIN (SELECT /*now*/ AS moment) c
LEFT JOIN ringfence_lease l ON l.name = a.name
