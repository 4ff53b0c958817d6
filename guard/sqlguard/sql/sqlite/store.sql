-- Store the mark of a resource.
UPDATE ringfence_mark SET token = ?2, seq = ?3, key = ?4, at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
WHERE resource = ?1
