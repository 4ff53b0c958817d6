-- Raise every lower mark of the leases whose names begin with a prefix, up to what the clock allows, as if a term had begun there.
UPDATE ringfence_guard_mark SET token = ?2, seq = 0, key = '', at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
WHERE substr(lease, 1, length(?1)) = ?1 AND token < ?2
AND ?2 <= (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
