-- Ends exactly the term $1, $2, $3.
--
-- It judges the row after it was locked, and waits for no row that somebody else has locked.
UPDATE ringfence_lease
SET state = 'released', expires_at = /*now*/, batch = $5
WHERE name = (
    SELECT name
    FROM (
        SELECT name
        FROM ringfence_lease
        WHERE name = $1 AND token = $2 AND attempt = $3 AND state = 'held' AND expires_at > /*now*/
        LIMIT 1
        FOR UPDATE SKIP LOCKED
    ) mine
)
AND @@autocommit = 1
