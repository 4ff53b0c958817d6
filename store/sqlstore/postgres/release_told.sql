-- Ends exactly the term $1, $2, $3, and tells the next one that waits for the name.
--
-- It is release_one.sql for a name that somebody waits for.
UPDATE ringfence.lease t
SET state = 'released', expires_at = clock_timestamp()
WHERE t.expires_at > clock_timestamp()
  AND t.ctid = (
      SELECT ctid
      FROM ringfence.lease
      WHERE name = $1 AND token = $2 AND attempt = $3 AND state = 'held'
      FOR UPDATE SKIP LOCKED
  )
RETURNING t.token, /*wake*/ IS NOT NULL
