-- Keep the locked mark of a resource, as it is, as an incarnation that has ended.
INSERT INTO ringfence_mark_reset (resource, incarnation, lease, token, seq, key, above, reason, by, role, at)
SELECT resource, (SELECT COUNT(*) + 1 FROM ringfence_mark_reset AS r WHERE r.resource = ?1), lease, token, seq, key, ?2, ?3, ?4, '', CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
FROM ringfence_mark WHERE resource = ?1
