-- Ends the current term of the name ?1 for ?2, and returns its token.
UPDATE ringfence_lease
SET state = 'forced', ended_by = ?2, expires_at = CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
WHERE name = ?1 AND state = 'held' AND expires_at > CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
RETURNING token
