-- List the incarnations that were given up of the leases whose names begin with a prefix, latest first.
SELECT r.lease, r.incarnation, r.token, r.seq, 0, r.reason, r.`by`, r.role, r.at
FROM (SELECT CAST(? AS BINARY) AS begins) AS p, ringfence_guard_reset AS r WHERE LEFT(r.lease, LENGTH(p.begins)) = p.begins ORDER BY r.at DESC, r.lease, r.incarnation DESC
