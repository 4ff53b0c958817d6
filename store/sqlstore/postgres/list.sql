-- Reads the records of the names from $1 up to $2 that come after $3, at most $4 of them, in byte order.
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= c.now THEN 'expired' ELSE l.state END,
       l.token, l.holder,
       floor(extract(epoch FROM l.granted_at) * 1000)::bigint, floor(extract(epoch FROM l.expires_at) * 1000)::bigint,
       CASE WHEN l.state = 'held' AND l.expires_at > c.now
            THEN floor(extract(epoch FROM l.expires_at - c.now) * 1000)::bigint ELSE 0 END,
       l.ended_by
FROM ringfence.lease l CROSS JOIN (SELECT clock_timestamp() AS now OFFSET 0) c
WHERE l.name >= $1 AND l.name <= $2 AND l.name > $3
ORDER BY l.name
LIMIT $4
