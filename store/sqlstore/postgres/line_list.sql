-- Lists those who wait for the name $1 in the order of their places, at most $2 of them: the label, since when, for how many
-- milliseconds, and for how many more the place lasts.
SELECT w.holder, floor(extract(epoch FROM w.joined_at) * 1000)::bigint,
       floor(extract(epoch FROM clock_timestamp() - w.joined_at) * 1000)::bigint,
       ceil(extract(epoch FROM w.lapses_at - clock_timestamp()) * 1000)::bigint
FROM ringfence.line w
WHERE w.name = $1 AND w.lapses_at > clock_timestamp()
  AND NOT EXISTS (SELECT 1 FROM ringfence.lease l WHERE l.name = w.name AND l.attempt = w.attempt)
ORDER BY w.place
LIMIT $2
