-- Lock the mark of a resource, then read it and the clock; no row where there is no mark. UTC_TIMESTAMP is when the statement began: what it has waited since, up to 14 minutes, is SYSDATE less NOW.
SELECT lease, token, seq, `key`,
	(TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 86460000000, 900000000) - 60000000) DIV 1000
FROM ringfence_mark WHERE resource = $1 FOR UPDATE
