-- Take the locks of the leases whose names begin with a prefix alone, so that no write in an older term is under way.
SELECT count(pg_advisory_xact_lock(ringfence.guard_lock(lease)))
FROM (SELECT lease FROM ringfence.guard_mark WHERE starts_with(lease, $1) ORDER BY lease) AS found
