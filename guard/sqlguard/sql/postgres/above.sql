-- List the marks above a token, highest first.
SELECT resource, lease, token, floor(extract(epoch FROM at) * 1000)::bigint FROM ringfence.mark WHERE token > $1 ORDER BY token DESC, resource
