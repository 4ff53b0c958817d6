-- Raise every lower mark of the leases whose names begin with a prefix, up to what the clock allows, as if a term had begun there.
UPDATE ringfence_guard_mark AS m, (SELECT CAST(? AS BINARY) AS begins, ? AS above) AS p
SET m.token = p.above, m.seq = 0, m.`key` = '', m.`write` = '', m.at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000
WHERE LEFT(m.lease, LENGTH(p.begins)) = p.begins AND m.token < p.above
AND p.above <= (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096
