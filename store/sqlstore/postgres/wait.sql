-- Gives those asked for places at the ends of the lines for their names, or lets them keep the places that they have: for $2
-- milliseconds from now. Returns of each how many living waiters are before it, and for how long it has waited.
--
-- One statement, for one waiter or for many at once: $1 holds each once, in an order that is the same for all callers. $3 is
-- how many may wait for a name. Whoever holds a name waits for it no more, also where its place is still there.
WITH ask AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS a(nth bigint, name text COLLATE "C", attempt text, holder text)
), kept AS (
    UPDATE ringfence.line w
    SET lapses_at = clock_timestamp() + $2::bigint * interval '1 millisecond'
    WHERE w.ctid = ANY (ARRAY(
        SELECT own.ctid
        FROM ask a CROSS JOIN LATERAL (
            SELECT l.ctid
            FROM ringfence.line l
            WHERE l.name = a.name AND l.attempt = a.attempt AND l.lapses_at > clock_timestamp()
            FOR UPDATE
        ) own
    ))
    RETURNING w.name, w.attempt, w.place, w.joined_at
), line AS MATERIALIZED (
    SELECT w.name, w.attempt, row_number() OVER (PARTITION BY w.name ORDER BY w.place) - 1 AS ahead,
           count(*) OVER (PARTITION BY w.name) AS living
    FROM (SELECT DISTINCT name FROM ask) a
    CROSS JOIN LATERAL (
        SELECT l.name, l.attempt, l.place
        FROM ringfence.line l
        WHERE l.name = a.name AND l.lapses_at > clock_timestamp()
          AND l.attempt IS DISTINCT FROM (SELECT h.attempt FROM ringfence.lease h WHERE h.name = a.name)
        OFFSET 0
    ) w
), joining AS MATERIALIZED (
    SELECT a.nth, a.name, a.attempt, a.holder, coalesce(n.living, 0) AS living,
           row_number() OVER (PARTITION BY a.name ORDER BY a.nth) - 1 AS before
    FROM ask a
    LEFT JOIN kept k ON k.name = a.name AND k.attempt = a.attempt
    LEFT JOIN (SELECT name, max(living) AS living FROM line GROUP BY name) n ON n.name = a.name
    WHERE k.name IS NULL
), gone AS (
    DELETE FROM ringfence.line w
    WHERE w.ctid = ANY (ARRAY(
        SELECT dead.ctid
        FROM (SELECT DISTINCT name FROM joining) a CROSS JOIN LATERAL (
            SELECT l.ctid
            FROM ringfence.line l
            WHERE l.name = a.name AND l.lapses_at < clock_timestamp() - interval '1 minute'
            FOR UPDATE SKIP LOCKED
        ) dead
    ))
    AND NOT EXISTS (SELECT 1 FROM ask a WHERE a.name = w.name AND a.attempt = w.attempt)
), joined AS (
    INSERT INTO ringfence.line AS l (name, attempt, holder, joined_at, lapses_at)
    SELECT name, attempt, holder, clock_timestamp(), clock_timestamp() + $2::bigint * interval '1 millisecond'
    FROM joining
    WHERE living + before < $3::bigint
    ORDER BY nth
    ON CONFLICT (name, attempt) DO UPDATE
    SET place = CASE WHEN l.lapses_at > clock_timestamp() THEN l.place ELSE excluded.place END,
        joined_at = CASE WHEN l.lapses_at > clock_timestamp() THEN l.joined_at ELSE excluded.joined_at END,
        lapses_at = excluded.lapses_at
    RETURNING l.name, l.attempt
)
SELECT a.nth, CASE WHEN k.name IS NULL AND j.name IS NULL THEN 'full' ELSE 'done' END, 0::bigint, ''::text, 0::bigint,
       CASE WHEN k.name IS NULL THEN coalesce(o.living + o.before, 0) ELSE coalesce(n.ahead, 0) END,
       CASE WHEN k.name IS NULL THEN 0
            ELSE greatest(floor(extract(epoch FROM clock_timestamp() - k.joined_at) * 1000), 0)::bigint END
FROM ask a
LEFT JOIN kept k ON k.name = a.name AND k.attempt = a.attempt
LEFT JOIN joined j ON j.name = a.name AND j.attempt = a.attempt
LEFT JOIN joining o ON o.name = a.name AND o.attempt = a.attempt
LEFT JOIN line n ON n.name = a.name AND n.attempt = a.attempt
