-- Ends exactly the terms asked for, $1. ended_why.sql then reads what became of each.
--
-- It judges a row after it was locked, and waits for none that somebody else has locked; see acquire.sql.
UPDATE (
    SELECT l.name, /*now*/ AS moment
    FROM ($1) a
    STRAIGHT_JOIN ringfence_lease l FORCE INDEX (PRIMARY) ON l.name = a.name
    WHERE l.token = a.token AND l.attempt = a.attempt AND l.state = 'held' AND l.expires_at > /*now*/ AND @@autocommit = 1
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
) o STRAIGHT_JOIN ringfence_lease l FORCE INDEX (PRIMARY) ON l.name = o.name
SET l.state = 'released', l.expires_at = o.moment, l.batch = $2
