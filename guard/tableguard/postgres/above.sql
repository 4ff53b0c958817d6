-- List the marks above a token, highest first.
SELECT lease, token, floor(extract(epoch FROM at) * 1000)::bigint FROM ringfence.guard_mark WHERE token > $1 ORDER BY token DESC, lease
