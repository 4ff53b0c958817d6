-- Sum up the marks of the leases whose names begin with a prefix.
SELECT COUNT(*), COALESCE(MAX(m.token), 0) FROM (SELECT CAST(? AS BINARY) AS begins) AS p, ringfence_guard_mark AS m WHERE LEFT(m.lease, LENGTH(p.begins)) = p.begins
