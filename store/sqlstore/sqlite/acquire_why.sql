-- Reads why the attempt ?2 was not granted the name ?1 in the file with the identity ?3.
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM ringfence_store WHERE identity = ?3) THEN 'strange'
            WHEN l.state = 'held' AND l.expires_at > c.now THEN CASE l.attempt WHEN ?2 THEN 'same' ELSE 'held' END
            WHEN l.attempt = ?2 THEN CASE l.state WHEN 'held' THEN 'expired' ELSE l.state END
            WHEN l.token = 9007199254740991 THEN 'exhausted'
            WHEN (SELECT max(floor) FROM ringfence_store) = 9007199254740991 THEN 'exhausted'
            ELSE 'again' -- it became free in between
       END,
       coalesce(l.token, 0), coalesce(l.holder, ''), max(coalesce(l.expires_at - c.now, 0), 0)
FROM (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c LEFT JOIN ringfence_lease l ON l.name = ?1
