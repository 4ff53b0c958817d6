-- Take the write lock against a takeover, then read the term of a name and whether it has expired by the clock.
UPDATE ringfence_lease SET state = state WHERE name = ?1
RETURNING token, state, expires_at <= CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
