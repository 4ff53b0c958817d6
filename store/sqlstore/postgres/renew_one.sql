-- Makes exactly the term $1, $2, $3 last $4 milliseconds from now.
--
-- It is renew.sql for one caller. No row: it did nothing, and renew.sql tells why. The row is judged after it was
-- locked; where that met a newer version than the statement sees, it does nothing.
UPDATE ringfence.lease l
SET expires_at = clock_timestamp() + $4::bigint * interval '1 millisecond'
WHERE l.expires_at > clock_timestamp()
  AND l.ctid = (
      SELECT ctid
      FROM ringfence.lease
      WHERE name = $1 AND token = $2 AND attempt = $3 AND state = 'held'
      FOR UPDATE SKIP LOCKED
  )
RETURNING l.token
