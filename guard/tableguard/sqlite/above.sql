-- List the marks above a token, highest first.
SELECT lease, token, at FROM ringfence_guard_mark WHERE token > ?1 ORDER BY token DESC, lease
