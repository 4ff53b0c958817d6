-- Grants the name $1 to the attempt $2 of the holder $3 for $4 milliseconds if it was used before and is free.
--
-- It is acquire.sql for one caller, at a third of its cost. It too looks before it writes, and waits for no row lock.
-- No row: it did nothing, and acquire.sql takes its place. A version of a row that was found free stays free, and is
-- locked before it is written. $5 and $6 are the server that this client has verified, as in acquire.sql.
-- It does nothing where anybody waits for the name, and so compares no places; acquire_placed.sql does.
UPDATE ringfence.lease l
SET token = greatest(l.token + 1, s.floor + 1,
                     (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000) * 4096),
    attempt = $2, holder = $3, state = 'held', ended_by = '',
    granted_at = clock_timestamp(), expires_at = clock_timestamp() + $4::bigint * interval '1 millisecond'
FROM ringfence.store s
WHERE s.identity = $5 AND extract(epoch FROM pg_postmaster_start_time())::text = $6
  AND s.floor < 9007199254740991 AND clock_timestamp() < to_timestamp(3903090000)
  AND NOT EXISTS (SELECT 1 FROM ringfence.line WHERE name = $1 AND lapses_at > clock_timestamp())
  AND l.ctid = (
      SELECT ctid
      FROM ringfence.lease l
      WHERE name = $1 AND attempt <> $2 AND token < 9007199254740991
        AND NOT (state = 'held' AND expires_at > clock_timestamp())
      FOR UPDATE SKIP LOCKED
  )
RETURNING l.token
