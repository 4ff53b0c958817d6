-- Ends exactly the term $1, $2, $3.
--
-- It is release.sql for one caller, as acquire_one.sql is to acquire.sql.
UPDATE ringfence_lease
SET state = 'released', expires_at = /*now*/, batch = $5
WHERE name = $1 AND name = (
    SELECT name
    FROM (
        SELECT name
        FROM ringfence_lease
        WHERE name = $1 AND token = $2 AND attempt = $3 AND state = 'held' AND expires_at > /*now*/
        LIMIT 1
        FOR UPDATE SKIP LOCKED
    ) mine
)
AND /*alone*/
