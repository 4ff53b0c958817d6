-- name: DropLease :exec
DELETE FROM job_leases WHERE name = $1; -- want 1
