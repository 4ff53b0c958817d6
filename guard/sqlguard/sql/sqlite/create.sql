-- Create the mark of a resource unless somebody else just did.
INSERT INTO ringfence_mark (resource, lease, token, seq, key, at)
VALUES (?1, ?2, ?3, ?4, ?5, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
ON CONFLICT (resource) DO NOTHING
