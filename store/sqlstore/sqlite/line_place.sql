-- Reads how many are before the attempt ?2 in the line for the name ?1, and for how many milliseconds it has been there.
SELECT (SELECT count(*)
        FROM ringfence_line w
        WHERE w.name = m.name AND w.place < m.place AND w.lapses_at > c.now
          AND NOT EXISTS (SELECT 1 FROM ringfence_lease l WHERE l.name = w.name AND l.attempt = w.attempt)),
       c.now - m.joined_at
FROM ringfence_line m CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE m.name = ?1 AND m.attempt = ?2
