-- Reads what became of the names asked for, $1, or what keeps each from its attempt. Nothing does, and there is no record: 'fresh'.
SELECT f.name, f.verdict, f.token,
       CASE WHEN f.verdict <> 'kept' THEN f.holder ELSE (
           SELECT CAST(w.holder AS BINARY)
           FROM ringfence_line w
           WHERE w.name = f.name AND w.lapses_at > f.moment AND w.attempt NOT IN (f.attempt, f.holding)
           ORDER BY w.place
           LIMIT 1
       ) END,
       GREATEST(CASE WHEN f.verdict <> 'kept' THEN f.expires_at ELSE (
           SELECT w.lapses_at
           FROM ringfence_line w
           WHERE w.name = f.name AND w.lapses_at > f.moment AND w.attempt NOT IN (f.attempt, f.holding)
           ORDER BY w.place
           LIMIT 1
       ) END - f.moment, 0) DIV 1000,
       f.ahead
FROM (
    SELECT q.*,
           CASE WHEN @@autocommit <> 1 THEN 'manual'
                /*M! WHEN @@in_transaction = 1 THEN 'within' */
                WHEN q.known IS NULL OR q.known <> 1 THEN 'strange'
                WHEN q.state = 'held' AND q.expires_at > q.moment THEN CASE WHEN q.holding = q.attempt THEN 'same' ELSE 'held' END
                WHEN q.holding = q.attempt THEN CASE q.state WHEN 'held' THEN 'expired' ELSE q.state END
                WHEN q.floor = 9007199254740991 OR q.moment >= 3903090000000000 OR q.token = 9007199254740991 THEN 'exhausted'
                WHEN q.ahead > 0 THEN 'kept' -- for who comes before in its line
                WHEN q.state = 'held' THEN 'locked' -- over, but a transaction keeps its record
                WHEN q.state = x'' THEN 'fresh'
                ELSE 'again'
           END AS verdict
    FROM (
        SELECT a.name, a.attempt, c.moment, s.known, s.floor, COALESCE(l.token, 0) AS token, COALESCE(l.state, x'') AS state,
               COALESCE(l.attempt, x'') AS holding, COALESCE(CAST(l.holder AS BINARY), x'') AS holder, COALESCE(l.expires_at, 0) AS expires_at,
               (
                   SELECT COUNT(*)
                   FROM ringfence_line w
                   WHERE w.name = a.name AND w.lapses_at > /*now*/ AND w.attempt NOT IN (a.attempt, COALESCE(l.attempt, x''))
                     AND w.place < COALESCE((SELECT m.place
                                             FROM ringfence_line m
                                             WHERE m.name = a.name AND m.attempt = a.attempt AND m.lapses_at > /*now*/), 9223372036854775807)
               ) AS ahead
        FROM ($1) a
        CROSS JOIN (SELECT /*now*/ AS moment) c
        LEFT JOIN (SELECT identity = @ringfence AS known, floor FROM ringfence_store WHERE single = 1) s ON TRUE
        LEFT JOIN ringfence_lease l ON l.name = a.name
    ) q
) f
