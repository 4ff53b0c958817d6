-- Reads what keeps the name ?1 from the attempt ?2 in the file with the identity ?3. Nothing does: 'again'.
--
-- It comes before acquire.sql, which needs the write lock, and once more where that did nothing.
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM ringfence_store WHERE identity = ?3) THEN 'strange'
            WHEN l.state = 'held' AND l.expires_at > c.now THEN CASE l.attempt WHEN ?2 THEN 'same' ELSE 'held' END
            WHEN l.attempt = ?2 THEN CASE l.state WHEN 'held' THEN 'expired' ELSE l.state END
            WHEN l.token = 9007199254740991 THEN 'exhausted'
            WHEN max((SELECT max(floor) FROM ringfence_store) + 1, (c.now - 1704067200000) * 4096) > 9007199254740991
                THEN 'exhausted'
            ELSE 'again'
       END,
       coalesce(l.token, 0), coalesce(l.holder, ''), max(coalesce(l.expires_at - c.now, 0), 0)
FROM (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c LEFT JOIN ringfence_lease l ON l.name = ?1
