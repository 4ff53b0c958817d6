-- Prolongs exactly the terms asked for, $1. ended_why.sql then reads what became of each.
--
-- It judges a row after it was locked, and waits for none that somebody else has locked; see acquire.sql.
UPDATE (
    SELECT l.name, a.ttl, /*now*/ AS moment
    FROM ($1) a
    STRAIGHT_JOIN ringfence_lease l FORCE INDEX (PRIMARY) ON l.name = a.name
    WHERE l.token = a.token AND l.attempt = a.attempt AND l.state = 'held' AND l.expires_at > /*now*/ AND /*alone*/
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
) o STRAIGHT_JOIN ringfence_lease l FORCE INDEX (PRIMARY) ON l.name = o.name
SET l.expires_at = o.moment + o.ttl * 1000, l.batch = $2
