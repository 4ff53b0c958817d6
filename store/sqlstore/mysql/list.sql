-- Reads the records of the names from $1 up to $2 that come after $3, at most $4 of them, in byte order.
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= c.moment THEN 'expired' ELSE l.state END,
       l.token, CAST(l.holder AS BINARY), l.granted_at DIV 1000, l.expires_at DIV 1000,
       CASE WHEN l.state = 'held' THEN GREATEST(l.expires_at - c.moment, 0) DIV 1000 ELSE 0 END,
       CAST(l.ended_by AS BINARY)
FROM ringfence_lease l CROSS JOIN (SELECT /*now*/ AS moment) c
WHERE l.name >= $1 AND l.name <= $2 AND l.name > $3
ORDER BY l.name
LIMIT $4
