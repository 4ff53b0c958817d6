-- Reads the record of one name, judged now.
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= c.now THEN 'expired' ELSE l.state END,
       l.token, l.holder, l.granted_at, l.expires_at,
       CASE WHEN l.state = 'held' THEN max(l.expires_at - c.now, 0) ELSE 0 END,
       l.ended_by
FROM ringfence_lease l CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE l.name = ?1
