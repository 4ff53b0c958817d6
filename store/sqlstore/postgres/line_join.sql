-- Gives the attempt $2 of the holder $3 a place at the end of the line for the name $1, for $4 milliseconds from now.
INSERT INTO ringfence.line AS l (name, attempt, holder, joined_at, lapses_at)
VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4::bigint * interval '1 millisecond')
ON CONFLICT (name, attempt) DO UPDATE
SET place = CASE WHEN l.lapses_at > clock_timestamp() THEN l.place ELSE excluded.place END,
    joined_at = CASE WHEN l.lapses_at > clock_timestamp() THEN l.joined_at ELSE excluded.joined_at END,
    lapses_at = excluded.lapses_at
