-- List the incarnations that were given up of the leases whose names begin with a prefix, latest first.
SELECT r.lease, r.incarnation, r.token, r.seq, 0, r.reason, r.by, '', r.at
FROM ringfence_guard_reset AS r WHERE substr(r.lease, 1, length(?1)) = ?1 ORDER BY r.at DESC, r.lease, r.incarnation DESC
