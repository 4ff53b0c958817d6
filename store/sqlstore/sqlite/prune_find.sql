-- Reads the highest token among the first ?2 records that have been over for ?1 milliseconds.
--
-- A token that ran ahead of the clock stays: after a loss of the floor the clock alone must lend a higher one.
SELECT coalesce(max(token), 0)
FROM (
    SELECT token
    FROM ringfence_lease
    WHERE expires_at <= CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - ?1
      AND token < (CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - 1704067200000) * 4096
    LIMIT ?2
)
