-- Lock the lease of a name against a takeover, then read its term and whether it has expired by the clock.
WITH lease AS MATERIALIZED (
	SELECT token, state, expires_at FROM ringfence.lease WHERE name = $1 FOR SHARE
)
SELECT token, state, expires_at <= clock_timestamp() FROM lease
