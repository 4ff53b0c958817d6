-- Lock the lease of a name against a takeover, then read its term and whether it has expired by the clock.
SELECT token, state, expires_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 86460000000, 900000000) - 60000000
FROM ringfence_lease WHERE name = $1 LOCK IN SHARE MODE
