-- Lists those who wait for the name ?1 in the order of their places, at most ?2 of them: the label, since when, for how many
-- milliseconds, and for how many more the place lasts.
SELECT w.holder, w.joined_at, c.now - w.joined_at, w.lapses_at - c.now
FROM ringfence_line w CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE w.name = ?1 AND w.lapses_at > c.now
  AND NOT EXISTS (SELECT 1 FROM ringfence_lease l WHERE l.name = w.name AND l.attempt = w.attempt)
ORDER BY w.place
LIMIT ?2
