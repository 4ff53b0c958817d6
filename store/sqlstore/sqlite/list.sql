-- Reads the records of the names from ?1 up to ?2 that come after ?3, at most ?4 of them, in byte order.
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= c.now THEN 'expired' ELSE l.state END,
       l.token, l.holder, l.granted_at, l.expires_at,
       CASE WHEN l.state = 'held' THEN max(l.expires_at - c.now, 0) ELSE 0 END,
       l.ended_by
FROM ringfence_lease l CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE l.name >= ?1 AND l.name <= ?2 AND l.name > ?3
ORDER BY l.name
LIMIT ?4
