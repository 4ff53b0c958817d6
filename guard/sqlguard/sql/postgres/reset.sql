-- Keep the locked mark of a resource, as it is, as an incarnation that has ended.
INSERT INTO ringfence.mark_reset (resource, incarnation, lease, token, seq, key, above, reason, by, role, at)
SELECT resource, (SELECT COUNT(*) + 1 FROM ringfence.mark_reset AS r WHERE r.resource = $1), lease, token, seq, key, $2, $3, $4, session_user, clock_timestamp()
FROM ringfence.mark WHERE resource = $1
