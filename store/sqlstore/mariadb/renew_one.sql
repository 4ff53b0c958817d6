-- Makes exactly the term $1, $2, $3 last $4 milliseconds from now, or fails at once where somebody else has locked its row, as
-- acquire_lean.sql does.
SET STATEMENT innodb_lock_wait_timeout = 0, time_zone = '+00:00' FOR
UPDATE ringfence_lease
SET expires_at = /*now*/ + $4 * 1000, batch = $5
WHERE name = $1 AND token = $2 AND attempt = $3 AND state = 'held' AND expires_at > /*now*/ AND /*alone*/
