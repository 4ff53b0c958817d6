-- Is acquire_one.sql for an attempt with a place in line, which goes in the same step. It does nothing where a living waiter is
-- before the attempt.
WITH granted AS (
    UPDATE ringfence.lease l
    SET token = greatest(l.token + 1, s.floor + 1,
                         (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000) * 4096),
        attempt = $2, holder = $3, state = 'held', ended_by = '',
        granted_at = clock_timestamp(), expires_at = clock_timestamp() + $4::bigint * interval '1 millisecond'
    FROM ringfence.store s
    WHERE s.identity = $5 AND extract(epoch FROM pg_postmaster_start_time())::text = $6
      AND s.floor < 9007199254740991 AND clock_timestamp() < to_timestamp(3903090000)
      AND l.ctid = (
          SELECT ctid
          FROM ringfence.lease l
          WHERE name = $1 AND attempt <> $2 AND token < 9007199254740991
            AND NOT (state = 'held' AND expires_at > clock_timestamp())
            AND NOT EXISTS (
                SELECT 1
                FROM ringfence.line w
                WHERE w.name = $1 AND w.lapses_at > clock_timestamp() AND w.attempt NOT IN ($2, l.attempt)
                  AND w.place < coalesce((SELECT place
                                          FROM ringfence.line
                                          WHERE name = $1 AND attempt = $2 AND lapses_at > clock_timestamp()), 9223372036854775807)
            )
          FOR UPDATE SKIP LOCKED
      )
    RETURNING l.token
), gone AS (
    DELETE FROM ringfence.line WHERE name = $1 AND attempt = $2 AND EXISTS (SELECT 1 FROM granted)
)
SELECT token FROM granted
