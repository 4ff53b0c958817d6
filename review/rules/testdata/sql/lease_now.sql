-- name: TakeLease :one
UPDATE job_leases SET owner = $2, fence = fence + 1, expires_at = now() + interval '60 seconds'
WHERE name = $1 AND expires_at < now()
RETURNING fence;

-- name: DropLease :exec
DELETE FROM job_leases WHERE name = $1; -- want 1
