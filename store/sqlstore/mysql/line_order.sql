-- Reads who waits for the name $1, only the attempt $2 where that is not empty: how many are before it, and for how many
-- milliseconds it has waited; how many places of that line lapsed a minute ago, and whether a statement is alone.
-- Whoever holds the name counts for nobody, and has nobody before it.
SELECT attempt, ahead, waited, (SELECT COUNT(*) FROM ringfence_line WHERE name = $1 AND lapses_at <= /*now*/ - 60000000), /*alone*/
FROM (
    SELECT w.attempt, ROW_NUMBER() OVER (PARTITION BY w.attempt <=> c.holding ORDER BY w.place) - 1 AS ahead,
           (c.moment - w.joined_at) DIV 1000 AS waited
    FROM ringfence_line w
    CROSS JOIN (SELECT /*now*/ AS moment, (SELECT l.attempt FROM ringfence_lease l WHERE l.name = $1) AS holding) c
    WHERE w.name = $1 AND w.lapses_at > c.moment
) q
WHERE $2 IN (x'', attempt)
