-- Store the mark of a resource whose row is locked, and the last write of its term, to be asked for ever.
WITH term AS (
	INSERT INTO ringfence.mark_term (resource, token, seq, key, at)
	VALUES ($1, $2, $3, $4, clock_timestamp())
	ON CONFLICT (resource, token) DO UPDATE SET seq = excluded.seq, key = excluded.key, at = excluded.at
)
UPDATE ringfence.mark SET token = $2, seq = $3, key = $4, at = clock_timestamp() WHERE resource = $1
