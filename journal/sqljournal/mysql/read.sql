-- Reads up to $3 rows added before the place $1, the last first, and none that was written before $2, in microseconds since 1970.
SELECT seq, at, bundle
FROM ringfence_journal
WHERE seq < $1 AND at >= $2
ORDER BY seq DESC
LIMIT $3
