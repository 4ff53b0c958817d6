-- name: TakeLock :execrows
INSERT INTO cron_locks (name, holder, held_until) -- want 6
VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET holder = $2, held_until = $3
WHERE cron_locks.held_until < $4;

-- name: ReleaseLock :exec
DELETE FROM cron_locks WHERE name = $1; -- want 1
