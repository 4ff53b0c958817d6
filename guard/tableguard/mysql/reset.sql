-- Keep the locked mark of a lease, as it is, as an incarnation that has ended.
INSERT INTO ringfence_guard_reset (lease, incarnation, token, seq, `key`, reason, `by`, role, at)
SELECT m.lease, (SELECT COUNT(*) + 1 FROM ringfence_guard_reset AS r WHERE r.lease = m.lease), m.token, m.seq, m.`key`, p.why, p.who, USER(), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000
FROM (SELECT CAST(? AS BINARY) AS lease, CAST(? AS BINARY) AS why, CAST(? AS BINARY) AS who) AS p JOIN ringfence_guard_mark AS m ON m.lease = p.lease
