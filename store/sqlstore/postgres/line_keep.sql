-- Lets the attempt $2 keep its place in the line for the name $1 for $3 milliseconds from now, unless it has lapsed.
UPDATE ringfence.line SET lapses_at = clock_timestamp() + $3::bigint * interval '1 millisecond'
WHERE name = $1 AND attempt = $2 AND lapses_at > clock_timestamp()
