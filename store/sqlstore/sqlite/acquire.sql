-- Grants the name ?1 to the attempt ?2 of the holder ?3 for ?4 milliseconds, if it is free and ?5 is this file's identity.
--
-- 'now' is one moment in the whole statement, read after SQLite has the write lock. A refusal writes no page. Where
-- the floor or the clock has left no token, or a living waiter is before the attempt, it does nothing.
INSERT INTO ringfence_lease (name, token, attempt, holder, state, granted_at, expires_at, ended_by)
SELECT ?1, max(s.floor + 1, (c.now - 1704067200000) * 4096), ?2, ?3, 'held', c.now, c.now + ?4, ''
FROM ringfence_store s CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE s.identity = ?5 AND max(s.floor + 1, (c.now - 1704067200000) * 4096) <= 9007199254740991
  AND NOT EXISTS (
      SELECT 1
      FROM ringfence_line w
      WHERE w.name = ?1 AND w.lapses_at > c.now
        AND w.attempt NOT IN (?2, coalesce((SELECT l.attempt FROM ringfence_lease l WHERE l.name = ?1), ''))
        AND w.place < coalesce((SELECT m.place FROM ringfence_line m WHERE m.name = ?1 AND m.attempt = ?2 AND m.lapses_at > c.now),
                               9223372036854775807)
  )
ON CONFLICT (name) DO UPDATE
SET token = max(ringfence_lease.token + 1, excluded.token), attempt = excluded.attempt, holder = excluded.holder,
    state = 'held', granted_at = excluded.granted_at, expires_at = excluded.expires_at, ended_by = ''
WHERE (ringfence_lease.state <> 'held' OR ringfence_lease.expires_at <= excluded.granted_at)
  AND ringfence_lease.attempt <> excluded.attempt AND ringfence_lease.token < 9007199254740991
RETURNING token
