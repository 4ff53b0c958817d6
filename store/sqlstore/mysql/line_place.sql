-- Reads how many are before the attempt $2 in the line for the name $1, and for how many milliseconds it has been there.
SELECT (SELECT COUNT(*)
        FROM ringfence_line w
        WHERE w.name = m.name AND w.place < m.place AND w.lapses_at > /*now*/
          AND NOT EXISTS (SELECT 1 FROM ringfence_lease l WHERE l.name = w.name AND l.attempt = w.attempt)),
       (/*now*/ - m.joined_at) DIV 1000
FROM ringfence_line m
WHERE m.name = $1 AND m.attempt = $2
