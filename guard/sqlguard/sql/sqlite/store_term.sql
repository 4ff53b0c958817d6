-- Store the last write of a term, to be asked for ever.
INSERT INTO ringfence_mark_term (resource, token, seq, key, at)
VALUES (?1, ?2, ?3, ?4, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
ON CONFLICT (resource, token) DO UPDATE SET seq = excluded.seq, key = excluded.key, at = excluded.at
