-- List the marks above a token, highest first.
SELECT resource, lease, token, at FROM ringfence_mark WHERE token > $1 ORDER BY token DESC, resource
