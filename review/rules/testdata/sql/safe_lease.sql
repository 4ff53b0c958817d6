-- acquire
INSERT INTO leases AS l (name, owner, token, expires_at)
VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE
SET owner = excluded.owner, token = l.token + 1, expires_at = excluded.expires_at
WHERE l.expires_at <= clock_timestamp()
RETURNING token;

-- release
UPDATE leases SET expires_at = clock_timestamp() WHERE name = $1 AND owner = $2 AND token = $3 AND expires_at > clock_timestamp();

-- fenced write
UPDATE documents SET body = $1, token = $2 WHERE id = $3 AND token <= $2;
