-- Ends exactly the term ?1, ?2, ?3.
UPDATE ringfence_lease
SET state = 'released', expires_at = CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
WHERE name = ?1 AND token = ?2 AND attempt = ?3 AND state = 'held'
  AND expires_at > CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
RETURNING token
