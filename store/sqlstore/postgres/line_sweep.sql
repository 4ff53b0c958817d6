-- Removes the places in the line for the name $1 that have lapsed. Those that somebody else is removing, or keeps, stay.
DELETE FROM ringfence.line
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ringfence.line WHERE name = $1 AND lapses_at <= clock_timestamp() FOR UPDATE SKIP LOCKED
))
