-- Lists those who wait for the name $1 in the order of their places, at most $2 of them: the label, since when, for how many
-- milliseconds, and for how many more the place lasts.
SELECT CAST(w.holder AS BINARY), w.joined_at DIV 1000, (c.moment - w.joined_at) DIV 1000, (w.lapses_at - c.moment) DIV 1000 + 1
FROM ringfence_line w CROSS JOIN (SELECT /*now*/ AS moment) c
WHERE w.name = $1 AND w.lapses_at > c.moment
  AND NOT EXISTS (SELECT 1 FROM ringfence_lease l WHERE l.name = w.name AND l.attempt = w.attempt)
ORDER BY w.place
LIMIT $2
