-- Move the locked mark of a lease to a new incarnation, in which no term has begun, and keep the one before as it was. $4 is the token that none may be at or below.
WITH kept AS (
	INSERT INTO ringfence.guard_reset (lease, incarnation, token, seq, key, at, home, above, reason, by)
	SELECT lease, incarnation, token, seq, key, at, home, $4, $2, $3 FROM ringfence.guard_mark WHERE lease = $1
	RETURNING lease, reset_at
)
UPDATE ringfence.guard_mark AS m
SET token = $4 + 1, seq = 0, key = '', xact = NULL, at = kept.reset_at, home = NULL, path = NULL, started = NULL, incarnation = m.incarnation + 1
FROM kept WHERE m.lease = kept.lease
