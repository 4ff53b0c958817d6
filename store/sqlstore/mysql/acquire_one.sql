-- Grants the name $1 to the attempt $2 of the holder $3 for $4 milliseconds if it was used before and is free.
--
-- It is acquire.sql for one caller, at half of its cost: an UPDATE of two tables writes a temporary one. It names the key
-- twice, for the optimizer to read that one row only; and does so after it has found the row free, or skipped it. The
-- server hands the token back with its word that the row was changed. It does nothing in a session that does not commit
-- by itself, or that has not been verified, or where a living waiter is before the attempt; acquire_why.sql tells.
UPDATE ringfence_lease
SET token = LAST_INSERT_ID(GREATEST(token + 1, (/*now*/ DIV 1000 - 1704067200000) * 4096,
                                    (SELECT floor + 1 FROM ringfence_store WHERE single = 1 LOCK IN SHARE MODE))),
    attempt = $2, holder = $3, state = 'held', ended_by = x'', granted_at = /*now*/, expires_at = /*now*/ + $4 * 1000, batch = $5
WHERE name = $1 AND name = (
    SELECT name
    FROM (
        SELECT name
        FROM ringfence_lease l
        WHERE name = $1 AND attempt <> $2 AND token < 9007199254740991 AND (state <> 'held' OR expires_at <= /*now*/)
        AND (
            SELECT COUNT(*)
            FROM ringfence_line w
            WHERE w.name = $1 AND w.lapses_at > /*now*/ AND w.attempt NOT IN ($2, l.attempt)
              AND w.place < COALESCE((SELECT m.place
                                      FROM ringfence_line m
                                      WHERE m.name = $1 AND m.attempt = $2 AND m.lapses_at > /*now*/), 9223372036854775807)
        ) = 0
        LIMIT 1
        FOR UPDATE SKIP LOCKED
    ) free
)
AND /*alone*/ AND (
    SELECT identity = @ringfence AND floor < 9007199254740991 AND /*now*/ < 3903090000000000
    FROM ringfence_store
    WHERE single = 1
    LOCK IN SHARE MODE
)
