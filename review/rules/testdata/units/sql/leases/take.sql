-- name: TakeLease :one
INSERT INTO job_leases (name, owner, expires_at) VALUES ($1, $2, clock_timestamp() + interval '30 seconds')
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
WHERE job_leases.expires_at < clock_timestamp()
RETURNING owner;
