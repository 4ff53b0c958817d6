-- Sum up the marks of the leases whose names begin with a prefix.
SELECT count(*), coalesce(max(token), 0) FROM ringfence_guard_mark WHERE substr(lease, 1, length(?1)) = ?1
