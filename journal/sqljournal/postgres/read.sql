-- Reads up to $5 events added before the place $2, the last first: of the name $1 and of the whole store, or all where it
-- is empty, from $3 to before $4, in microseconds since 1970.
SELECT seq, floor(extract(epoch FROM at) * 1000000)::bigint, kind, name, token,
       coalesce(floor(extract(epoch FROM until) * 1000000)::bigint, 0), holder, cause, resource, by_whom, detail, lost, id
FROM ringfence.event
WHERE seq < $2::bigint AND ($1::text = '' OR name = $1::text OR name = '')
  AND at >= 'epoch'::timestamptz + $3::bigint * interval '1 microsecond'
  AND at < 'epoch'::timestamptz + $4::bigint * interval '1 microsecond'
ORDER BY seq DESC
LIMIT $5
