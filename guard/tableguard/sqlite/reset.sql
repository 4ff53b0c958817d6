-- Keep the locked mark of a lease, as it is, as an incarnation that has ended.
INSERT INTO ringfence_guard_reset (lease, incarnation, token, seq, key, reason, by, at)
SELECT m.lease, (SELECT count(*) + 1 FROM ringfence_guard_reset AS r WHERE r.lease = m.lease), m.token, m.seq, m.key, ?2, ?3, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
FROM ringfence_guard_mark AS m WHERE m.lease = ?1
