-- Reads what became of the names asked for, $1, or what keeps each from its attempt. Nothing does, and there is no record: 'fresh'.
SELECT a.name,
       CASE WHEN @@autocommit <> 1 THEN 'manual'
            WHEN s.known IS NULL OR s.known <> 1 THEN 'strange'
            WHEN l.state = 'held' AND l.expires_at > c.moment THEN CASE WHEN l.attempt = a.attempt THEN 'same' ELSE 'held' END
            WHEN l.attempt = a.attempt THEN CASE l.state WHEN 'held' THEN 'expired' ELSE l.state END
            WHEN s.floor = 9007199254740991 OR c.moment >= 3903090000000000 OR l.token = 9007199254740991 THEN 'exhausted'
            WHEN l.state = 'held' THEN 'locked' -- over, but a transaction keeps its record
            WHEN l.name IS NULL THEN 'fresh'
            ELSE 'again'
       END,
       COALESCE(l.token, 0), COALESCE(CAST(l.holder AS BINARY), x''), COALESCE(GREATEST(l.expires_at - c.moment, 0) DIV 1000, 0)
FROM ($1) a
CROSS JOIN (SELECT /*now*/ AS moment) c
LEFT JOIN (SELECT identity = @ringfence AS known, floor FROM ringfence_store WHERE single = 1) s ON TRUE
LEFT JOIN ringfence_lease l ON l.name = a.name
