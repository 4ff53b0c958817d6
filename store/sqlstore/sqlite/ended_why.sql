-- Reads how the term ?1, ?2, ?3 ended.
SELECT CASE WHEN l.token IS NOT ?2 OR l.attempt IS NOT ?3 THEN 'superseded'
            WHEN l.state <> 'held' THEN l.state
            WHEN l.expires_at <= c.now THEN 'expired'
            ELSE 'again'
       END,
       ?2, '', 0
FROM (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c LEFT JOIN ringfence_lease l ON l.name = ?1
