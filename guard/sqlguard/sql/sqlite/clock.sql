-- Read the clock, in milliseconds since 1970.
SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
