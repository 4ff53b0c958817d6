-- Take the write lock before the first read, as BEGIN IMMEDIATE does, and read the mark and the clock; no row where there is no mark.
UPDATE ringfence_mark SET token = token WHERE resource = ?1
RETURNING lease, token, seq, key, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
