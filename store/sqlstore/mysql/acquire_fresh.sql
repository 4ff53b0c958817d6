-- Grants the names asked for, $1, none of which has a record. It fails as a whole where one of them has got one since.
INSERT INTO ringfence_lease (name, token, attempt, holder, state, granted_at, expires_at, ended_by, batch)
SELECT a.name, LAST_INSERT_ID(GREATEST(s.floor + 1, (c.moment DIV 1000 - 1704067200000) * 4096)),
       a.attempt, a.holder, 'held', c.moment, c.moment + a.ttl * 1000, x'', $2
FROM (
    SELECT floor
    FROM ringfence_store
    WHERE single = 1 AND identity = @ringfence AND floor < 9007199254740991 AND /*alone*/
    LOCK IN SHARE MODE
) s
CROSS JOIN (SELECT /*now*/ AS moment) c
CROSS JOIN ($1) a
WHERE c.moment < 3903090000000000
AND (
    SELECT COUNT(*)
    FROM ringfence_line w
    WHERE w.name = a.name AND w.lapses_at > /*now*/ AND w.attempt <> a.attempt
      AND w.place < COALESCE((SELECT m.place
                              FROM ringfence_line m
                              WHERE m.name = a.name AND m.attempt = a.attempt AND m.lapses_at > /*now*/), 9223372036854775807)
) = 0
