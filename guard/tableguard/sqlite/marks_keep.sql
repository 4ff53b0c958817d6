-- Keep the last writes of the terms that end when the marks are raised.
INSERT INTO ringfence_guard_term (lease, token, seq, key)
SELECT lease, token, seq, key FROM ringfence_guard_mark WHERE substr(lease, 1, length(?1)) = ?1 AND token < ?2 AND seq > 0
AND ?2 <= (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
ON CONFLICT (lease, token) DO UPDATE SET seq = excluded.seq, key = excluded.key
