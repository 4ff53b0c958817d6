-- Lock the mark of a resource, then read it and the clock; one row, also where there is no mark.
WITH mark AS MATERIALIZED (
	SELECT lease, token, seq, key FROM ringfence.mark WHERE resource = $1 FOR UPDATE
)
SELECT coalesce(mark.lease, ''), coalesce(mark.token, 0), coalesce(mark.seq, 0), coalesce(mark.key, ''),
	floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
FROM (SELECT) AS one LEFT JOIN mark ON true
