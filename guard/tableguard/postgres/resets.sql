-- List the incarnations that were given up of the leases whose names begin with a prefix, latest first.
SELECT lease, incarnation, token, seq, above, reason, by, role::text, floor(extract(epoch FROM reset_at) * 1000)::bigint
FROM ringfence.guard_reset WHERE starts_with(lease, $1) ORDER BY reset_at DESC, lease
