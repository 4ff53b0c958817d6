-- Lock the mark of a lease; no row where there is none.
SELECT (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
FROM ringfence.guard_mark WHERE lease = $1 FOR UPDATE
