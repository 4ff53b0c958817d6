-- Grants the name $1 to the attempt $2 of the holder $3 for $4 milliseconds if it was used before, is free, and its line is empty.
--
-- It is acquire_one.sql for an attempt without a place in line, at a third of its cost: it reads the row once, and compares no
-- places. A place that has lapsed also counts for one, since the optimizer alone can tell that there is none; acquire_one.sql
-- looks closer. Where somebody else has locked the row, or the store's, it fails at once and has done nothing. The row is judged
-- after it was locked. It does nothing where it is not alone, or in a session that has not been verified.
SET STATEMENT innodb_lock_wait_timeout = 0, time_zone = '+00:00' FOR
UPDATE ringfence_lease
SET token = LAST_INSERT_ID(GREATEST(token + 1, (/*now*/ DIV 1000 - 1704067200000) * 4096,
                                    (SELECT floor + 1 FROM ringfence_store WHERE single = 1 LOCK IN SHARE MODE))),
    attempt = $2, holder = $3, state = 'held', ended_by = x'', granted_at = /*now*/, expires_at = /*now*/ + $4 * 1000, batch = $5
WHERE name = $1 AND attempt <> $2 AND token < 9007199254740991 AND (state <> 'held' OR expires_at <= /*now*/)
AND (SELECT MIN(place) FROM ringfence_line WHERE name = $1) IS NULL
AND /*alone*/ AND (
    SELECT identity = @ringfence AND floor < 9007199254740991 AND /*now*/ < 3903090000000000
    FROM ringfence_store
    WHERE single = 1
    LOCK IN SHARE MODE
)
