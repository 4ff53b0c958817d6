-- Ends exactly the term $1, $2, $3 if nobody waits for the name.
--
-- It is release.sql for one caller. No row: it did nothing, and release_told.sql does it, or else release.sql tells why. The
-- row is judged after it was locked; where that met a newer version than the statement sees, it does nothing.
UPDATE ringfence.lease l
SET state = 'released', expires_at = clock_timestamp()
WHERE l.expires_at > clock_timestamp()
  AND l.ctid = (
      SELECT ctid
      FROM ringfence.lease
      WHERE name = $1 AND token = $2 AND attempt = $3 AND state = 'held'
      FOR UPDATE SKIP LOCKED
  )
  AND NOT EXISTS (SELECT 1 FROM ringfence.waiter WHERE name = $1)
RETURNING l.token
