-- Tells the first live waiter for each of the names $1 that is free now: whoever was told before has gone. It is the first in
-- line, or where that one does not listen who has listened longest.
SELECT pg_catalog.pg_notify(w.listener, w.place || ' ' || w.name)
FROM unnest($1::text[]) AS free(name) CROSS JOIN LATERAL (
    (SELECT w.listener, w.place, w.name
     FROM ringfence.waiter w JOIN ringfence.listener r ON r.channel = w.listener AND r.expires_at > clock_timestamp()
     WHERE w.name = free.name AND w.attempt = (SELECT l.attempt
                                               FROM ringfence.line l
                                               WHERE l.name = free.name AND l.lapses_at > clock_timestamp()
                                               ORDER BY l.place
                                               LIMIT 1)
     LIMIT 1)
    UNION ALL
    (SELECT w.listener, w.place, w.name
     FROM ringfence.waiter w JOIN ringfence.listener r ON r.channel = w.listener AND r.expires_at > clock_timestamp()
     WHERE w.name = free.name
     ORDER BY w.place
     LIMIT 1)
    LIMIT 1
) w
WHERE NOT EXISTS (
    SELECT 1 FROM ringfence.lease l WHERE l.name = free.name AND l.state = 'held' AND l.expires_at > clock_timestamp()
)
