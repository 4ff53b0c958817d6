-- Reads the highest token among the first $2 records that have been over for $1 milliseconds.
--
-- A token that ran ahead of the clock stays: after a loss of the floor the clock alone must lend a higher one.
SELECT coalesce(max(token), 0)
FROM (
    SELECT token
    FROM ringfence.lease
    WHERE expires_at <= clock_timestamp() - $1::bigint * interval '1 millisecond'
      AND token < (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000) * 4096
    LIMIT $2
) over
