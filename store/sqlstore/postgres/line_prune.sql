-- Removes the places that have lapsed in the lines for all names.
DELETE FROM ringfence.line
WHERE ctid = ANY (ARRAY(SELECT ctid FROM ringfence.line WHERE lapses_at <= clock_timestamp() FOR UPDATE SKIP LOCKED))
