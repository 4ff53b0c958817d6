-- Grants the names asked for that are free, and says who holds the others.
--
-- One statement, for one caller or for many at once. It looks before it writes, so that a refusal costs no
-- write, and waits for no row lock: a row that another transaction has locked is skipped and asked for again.
-- Every judgement of a row that might be taken is made after it was locked, on clock_timestamp(). The caller
-- sorts the names, so that two batches which insert the same ones wait for each other in one order.
--
-- $2 is the identity that this client has verified for the server that was started at $3. To read the identity
-- itself costs a look into the control file, and neither part of it changes while a postmaster lives on as a
-- primary: a system identifier never does, a new timeline begins with a recovery, and a server in recovery can't be
-- verified. Another server, also one behind a pooler, was started at another microsecond.
--
-- A name may come back twice: anything then counts before 'again' and 'locked'. No row at all: the store's record is
-- gone.
--
-- Of those who wait for a name the first living one is served before anybody else. One who joined its line after this
-- statement had begun was not there before whoever it serves.
--
-- The clock reaches the highest token, 2^53 - 1, at 3903090455 seconds since 1970, in 2093. Grants end some minutes
-- before, so that none goes beyond while a statement lasts.
WITH here AS MATERIALIZED (
    SELECT floor = 9007199254740991 OR clock_timestamp() >= to_timestamp(3903090000) AS spent,
           floor, identity = $2 AND extract(epoch FROM pg_postmaster_start_time())::text = $3 AS known
    FROM ringfence.store
    LIMIT 1
), seen AS MATERIALIZED (
    SELECT a.name, a.attempt, a.holder, a.ttl, h.floor, h.known, h.spent,
           l.token, l.attempt AS holding, l.holder AS held_by, l.state, l.expires_at,
           l.state = 'held' AND l.expires_at > clock_timestamp() AS live,
           w.holder AS first, w.lapses_at AS first_lapses_at, coalesce(w.ahead, 0) AS ahead
    FROM here h
    CROSS JOIN json_to_recordset($1::json) AS a(name text COLLATE "C", attempt text, holder text, ttl bigint)
    LEFT JOIN LATERAL (SELECT * FROM ringfence.lease l WHERE l.name = a.name OFFSET 0) l ON true
    LEFT JOIN LATERAL (
        SELECT w.holder, w.lapses_at, count(*) OVER () AS ahead
        FROM ringfence.line w
        WHERE w.name = a.name AND w.lapses_at > clock_timestamp()
          AND w.attempt <> a.attempt AND w.attempt IS DISTINCT FROM l.attempt
          AND w.place < coalesce((SELECT m.place
                                  FROM ringfence.line m
                                  WHERE m.name = a.name AND m.attempt = a.attempt AND m.lapses_at > clock_timestamp()),
                                 9223372036854775807)
        ORDER BY w.place
        LIMIT 1
    ) w ON true
), over AS MATERIALIZED (
    SELECT s.name, s.attempt, s.holder, s.ttl, s.spent, s.ahead, l.attempt AS holding, l.state, l.token,
           greatest(l.token + 1, s.floor + 1,
                    (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000) * 4096) AS next
    FROM seen s CROSS JOIN LATERAL (
        SELECT l.token, l.attempt, l.state
        FROM ringfence.lease l
        WHERE l.name = s.name AND NOT (l.state = 'held' AND l.expires_at > clock_timestamp())
        FOR UPDATE SKIP LOCKED
    ) l
    WHERE s.known AND NOT s.live AND (s.ahead = 0 OR s.holding = s.attempt)
), taken AS (
    -- The rows are there and locked, so this always conflicts. Unlike an UPDATE it finds them by their key
    -- whatever a cached plan believed about the size of the table.
    INSERT INTO ringfence.lease (name, token, attempt, holder, state, granted_at, expires_at)
    SELECT o.name, o.next, o.attempt, o.holder, 'held', clock_timestamp(),
           clock_timestamp() + o.ttl * interval '1 millisecond'
    FROM over o
    WHERE o.holding <> o.attempt AND o.next <= 9007199254740991 AND NOT o.spent AND o.ahead = 0
    ON CONFLICT (name) DO UPDATE
    SET token = excluded.token, attempt = excluded.attempt, holder = excluded.holder, state = 'held',
        granted_at = excluded.granted_at, expires_at = excluded.expires_at, ended_by = ''
    RETURNING name, token
), fresh AS (
    INSERT INTO ringfence.lease (name, token, attempt, holder, state, granted_at, expires_at)
    SELECT s.name,
           greatest(s.floor + 1,
                    (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000) * 4096),
           s.attempt, s.holder, 'held', clock_timestamp(),
           clock_timestamp() + s.ttl * interval '1 millisecond'
    FROM seen s
    WHERE s.known AND s.token IS NULL AND NOT s.spent AND s.ahead = 0
    ON CONFLICT (name) DO NOTHING
    RETURNING name, token
), gone AS (
    -- Who is served waits no more.
    DELETE FROM ringfence.line w
    WHERE w.ctid = ANY (ARRAY(
        SELECT own.ctid
        FROM (SELECT name FROM taken UNION ALL SELECT name FROM fresh) g
        JOIN seen s ON s.name = g.name
        CROSS JOIN LATERAL (
            SELECT l.ctid FROM ringfence.line l WHERE l.name = s.name AND l.attempt = s.attempt FOR UPDATE
        ) own
    ))
)
SELECT s.name,
       CASE WHEN NOT s.known THEN 'strange'
            WHEN s.live THEN CASE WHEN s.holding = s.attempt THEN 'same' ELSE 'held' END
            WHEN s.spent THEN 'exhausted'
            WHEN s.ahead > 0 AND s.holding IS DISTINCT FROM s.attempt THEN 'kept'
            -- Neither was done where a row below says so, or where another caller took the name since.
            WHEN s.state = 'held' AND s.holding <> s.attempt THEN 'locked' -- over, but a transaction keeps its record
            ELSE 'again'
       END,
       coalesce(s.token, 0), CASE WHEN s.live OR s.ahead = 0 THEN coalesce(s.held_by, '') ELSE s.first END,
       coalesce(greatest(floor(extract(epoch FROM CASE WHEN s.live OR s.ahead = 0 THEN s.expires_at ELSE s.first_lapses_at END
                                                  - clock_timestamp()) * 1000), 0)::bigint, 0),
       s.ahead
FROM seen s
UNION ALL
SELECT o.name, CASE WHEN o.next > 9007199254740991 THEN 'exhausted' WHEN o.state = 'held' THEN 'expired' ELSE o.state END,
       o.token, ''::text, 0::bigint, 0::bigint
FROM over o
WHERE o.holding = o.attempt OR o.next > 9007199254740991
UNION ALL
SELECT t.name, 'done'::text, t.token, ''::text, 0::bigint, 0::bigint FROM taken t
UNION ALL
SELECT f.name, 'done'::text, f.token, ''::text, 0::bigint, 0::bigint FROM fresh f
