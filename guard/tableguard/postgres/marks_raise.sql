-- Raise every lower mark of the leases whose names begin with a prefix, up to what the clock allows, as if a term had begun there, here and now.
UPDATE ringfence.guard_mark SET token = $2, seq = 0, key = '', xact = NULL, at = clock_timestamp(),
	home = (SELECT ringfence.guard_home()), path = pg_relation_filepath('ringfence.guard_mark'), started = pg_postmaster_start_time()
WHERE starts_with(lease, $1) AND token < $2
AND $2 <= (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
