-- Reads up to $3 rows added before the place $1, the last first, and none that was written before $2, in microseconds since 1970.
SELECT seq, floor(extract(epoch FROM at) * 1000000)::bigint, bundle
FROM ringfence.journal
WHERE seq < $1::bigint AND at >= 'epoch'::timestamptz + $2::bigint * interval '1 microsecond'
ORDER BY seq DESC
LIMIT $3
