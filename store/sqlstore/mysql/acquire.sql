-- Grants those of the names asked for, $1, that were used before and are free. acquire_why.sql then reads what became of each.
--
-- It looks before it writes, waits for no row that somebody else has locked, and judges a row after it was locked. What it
-- has found free is found again by its key, whatever the optimizer believes about the size of the table: an UPDATE with
-- the same condition would read, and so lock, all of it. Names come sorted, so that two of these lock them in one order.
--
-- The record of the store stays locked, for others to share, until the commit: who raises the floor waits for the
-- grants under way. It does nothing where it is not alone (alone.sql), or in a session that has not been verified,
-- nor for a name where a living waiter is before the attempt.
UPDATE (
    SELECT l.name, l.token, a.attempt, a.holder, a.ttl, s.floor, /*now*/ AS moment
    FROM (
        SELECT floor
        FROM ringfence_store
        WHERE single = 1 AND identity = @ringfence AND floor < 9007199254740991 AND /*alone*/
        LOCK IN SHARE MODE
    ) s
    STRAIGHT_JOIN ($1) a
    STRAIGHT_JOIN ringfence_lease l FORCE INDEX (PRIMARY) ON l.name = a.name
    WHERE l.attempt <> a.attempt AND l.token < 9007199254740991 AND (l.state <> 'held' OR l.expires_at <= /*now*/)
    AND (
        SELECT COUNT(*)
        FROM ringfence_line w
        WHERE w.name = a.name AND w.lapses_at > /*now*/ AND w.attempt NOT IN (a.attempt, l.attempt)
          AND w.place < COALESCE((SELECT m.place
                                  FROM ringfence_line m
                                  WHERE m.name = a.name AND m.attempt = a.attempt AND m.lapses_at > /*now*/), 9223372036854775807)
    ) = 0
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
) o STRAIGHT_JOIN ringfence_lease l FORCE INDEX (PRIMARY) ON l.name = o.name AND o.moment < 3903090000000000
SET l.token = GREATEST(o.token + 1, o.floor + 1, (o.moment DIV 1000 - 1704067200000) * 4096), l.attempt = o.attempt, l.holder = o.holder,
    l.state = 'held', l.ended_by = x'', l.granted_at = o.moment, l.expires_at = o.moment + o.ttl * 1000, l.batch = $2
