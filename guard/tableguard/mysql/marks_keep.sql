-- Keep the last writes of the terms that end when the marks are raised.
INSERT INTO ringfence_guard_term (lease, token, seq, `key`)
SELECT m.lease, m.token, m.seq, m.`key` FROM (SELECT CAST(? AS BINARY) AS begins, ? AS above) AS p, ringfence_guard_mark AS m
WHERE LEFT(m.lease, LENGTH(p.begins)) = p.begins AND m.token < p.above AND m.seq > 0
AND p.above <= (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096
FOR UPDATE
ON DUPLICATE KEY UPDATE seq = VALUES(seq), `key` = VALUES(`key`)
