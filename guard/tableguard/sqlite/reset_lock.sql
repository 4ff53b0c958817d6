-- Lock the mark of a lease against its writers; no row where there is none.
UPDATE ringfence_guard_mark SET token = token WHERE lease = ?1
RETURNING (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
