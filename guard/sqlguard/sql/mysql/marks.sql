-- Sum up the marks of the leases whose names begin with a prefix.
SELECT COUNT(*), COALESCE(MAX(token), 0) FROM ringfence_mark WHERE LEFT(lease, LENGTH($1)) = $1
