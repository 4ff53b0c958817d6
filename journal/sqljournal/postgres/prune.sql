-- Removes, of the $3 oldest events, those that are older than $1 milliseconds or not among the newest $2.
DELETE FROM ringfence.event e
USING (SELECT seq, at FROM ringfence.event ORDER BY seq LIMIT $3) o
WHERE e.seq = o.seq
  AND (o.at < clock_timestamp() - $1::bigint * interval '1 millisecond'
       OR o.seq <= (SELECT max(seq) FROM ringfence.event) - $2::bigint)
