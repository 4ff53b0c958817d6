-- Keep the locked mark of a resource, as it is, as an incarnation that has ended.
INSERT INTO ringfence_mark_reset (resource, incarnation, lease, token, seq, `key`, above, reason, `by`, role, at)
SELECT resource, (SELECT COUNT(*) + 1 FROM ringfence_mark_reset AS r WHERE r.resource = $1), lease, token, seq, `key`, $2, $3, $4, USER(), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000
FROM ringfence_mark WHERE resource = $1
