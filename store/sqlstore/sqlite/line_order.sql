-- Reads who waits for the name ?1, only the attempt ?2 where that is not empty: how many are before it, and for how many
-- milliseconds it has waited.
SELECT attempt, ahead, waited
FROM (
    SELECT w.attempt, row_number() OVER (ORDER BY w.place) - 1 AS ahead, c.now - w.joined_at AS waited
    FROM ringfence_line w CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
    WHERE w.name = ?1 AND w.lapses_at > c.now
      AND w.attempt IS NOT (SELECT l.attempt FROM ringfence_lease l WHERE l.name = ?1)
)
WHERE ?2 IN ('', attempt)
