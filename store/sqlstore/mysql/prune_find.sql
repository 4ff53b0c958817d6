-- Reads the highest token among the first $2 records that have been over for $1 milliseconds.
--
-- A token that ran ahead of the clock stays: after a loss of the floor the clock alone must lend a higher one.
SELECT COALESCE(MAX(token), 0)
FROM (
    SELECT token
    FROM ringfence_lease
    WHERE expires_at <= /*now*/ - $1 * 1000 AND token < (/*now*/ DIV 1000 - 1704067200000) * 4096
    LIMIT $2
) gone
