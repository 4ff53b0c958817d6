-- Makes exactly the term ?1, ?2, ?3 last ?4 milliseconds from now.
UPDATE ringfence_lease
SET expires_at = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ?4
WHERE name = ?1 AND token = ?2 AND attempt = ?3 AND state = 'held'
  AND expires_at > CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
RETURNING token
