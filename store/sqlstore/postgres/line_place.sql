-- Reads how many are before the attempt $2 in the line for the name $1, and for how many milliseconds it has been there.
SELECT (SELECT count(*)
        FROM ringfence.line w
        WHERE w.name = m.name AND w.place < m.place AND w.lapses_at > clock_timestamp()
          AND NOT EXISTS (SELECT 1 FROM ringfence.lease l WHERE l.name = w.name AND l.attempt = w.attempt)),
       floor(extract(epoch FROM clock_timestamp() - m.joined_at) * 1000)::bigint
FROM ringfence.line m
WHERE m.name = $1 AND m.attempt = $2
