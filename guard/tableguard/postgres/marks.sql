-- Sum up the marks of the leases whose names begin with a prefix.
SELECT count(*), coalesce(max(token), 0) FROM ringfence.guard_mark WHERE starts_with(lease, $1)
