-- Reads the record of one name, judged now.
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= c.now THEN 'expired' ELSE l.state END,
       l.token, l.holder,
       floor(extract(epoch FROM l.granted_at) * 1000)::bigint, floor(extract(epoch FROM l.expires_at) * 1000)::bigint,
       CASE WHEN l.state = 'held' AND l.expires_at > c.now
            THEN floor(extract(epoch FROM l.expires_at - c.now) * 1000)::bigint ELSE 0 END,
       l.ended_by
FROM ringfence.lease l CROSS JOIN (SELECT clock_timestamp() AS now OFFSET 0) c
WHERE l.name = $1
