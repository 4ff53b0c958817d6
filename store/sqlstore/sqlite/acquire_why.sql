-- Reads what keeps the name ?1 from the attempt ?2 in the file with the identity ?3. Nothing does: 'again'.
--
-- It comes before acquire.sql, which needs the write lock, and once more where that did nothing.
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM ringfence_store WHERE identity = ?3) THEN 'strange'
            WHEN l.state = 'held' AND l.expires_at > c.now THEN CASE l.attempt WHEN ?2 THEN 'same' ELSE 'held' END
            WHEN l.attempt = ?2 THEN CASE l.state WHEN 'held' THEN 'expired' ELSE l.state END
            WHEN l.token = 9007199254740991 THEN 'exhausted'
            WHEN max((SELECT max(floor) FROM ringfence_store) + 1, (c.now - 1704067200000) * 4096) > 9007199254740991
                THEN 'exhausted'
            WHEN w.ahead > 0 THEN 'kept'
            ELSE 'again'
       END,
       coalesce(l.token, 0),
       CASE WHEN l.state = 'held' AND l.expires_at > c.now OR w.ahead = 0 THEN coalesce(l.holder, '') ELSE w.first END,
       max(CASE WHEN l.state = 'held' AND l.expires_at > c.now OR w.ahead = 0 THEN coalesce(l.expires_at, 0) ELSE w.lapses_at END
           - c.now, 0),
       w.ahead
FROM (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
CROSS JOIN (
    SELECT count(*) AS ahead, coalesce(min(w.place), 0) AS place, w.holder AS first, w.lapses_at -- of the row with the least place
    FROM ringfence_line w
    WHERE w.name = ?1 AND w.lapses_at > CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
      AND w.attempt NOT IN (?2, coalesce((SELECT l.attempt FROM ringfence_lease l WHERE l.name = ?1), ''))
      AND w.place < coalesce((
          SELECT m.place
          FROM ringfence_line m
          WHERE m.name = ?1 AND m.attempt = ?2 AND m.lapses_at > CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
      ), 9223372036854775807)
) w
LEFT JOIN ringfence_lease l ON l.name = ?1
