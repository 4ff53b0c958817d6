-- Gives the attempt $2 of the holder $3 a place at the end of the line for the name $1 for $4 milliseconds from now, unless $5
-- wait. Returns how many living waiters are before it, and for how long it has waited. No row: it did nothing.
--
-- It is wait.sql for one waiter who has no place yet, at a third of its cost.
WITH gone AS (
    DELETE FROM ringfence.line
    WHERE ctid = ANY (ARRAY(
        SELECT ctid
        FROM ringfence.line
        WHERE name = $1 AND attempt <> $2 AND lapses_at < clock_timestamp() - interval '1 minute'
        FOR UPDATE SKIP LOCKED
    ))
)
INSERT INTO ringfence.line AS l (name, attempt, holder, joined_at, lapses_at)
SELECT $1, $2, $3, clock_timestamp(), clock_timestamp() + $4::bigint * interval '1 millisecond'
WHERE (SELECT count(*) FROM ringfence.line WHERE name = $1 AND lapses_at > clock_timestamp()) < $5::bigint
ON CONFLICT (name, attempt) DO UPDATE
SET place = CASE WHEN l.lapses_at > clock_timestamp() THEN l.place ELSE excluded.place END,
    joined_at = CASE WHEN l.lapses_at > clock_timestamp() THEN l.joined_at ELSE excluded.joined_at END,
    lapses_at = excluded.lapses_at
RETURNING (SELECT count(*)
           FROM ringfence.line w
           WHERE w.name = $1 AND w.place < l.place AND w.lapses_at > clock_timestamp()
             AND w.attempt IS DISTINCT FROM (SELECT h.attempt FROM ringfence.lease h WHERE h.name = $1)),
          greatest(floor(extract(epoch FROM clock_timestamp() - l.joined_at) * 1000), 0)::bigint
