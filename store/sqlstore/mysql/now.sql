-- The server's clock in microseconds since 1970, in UTC, read anew wherever it stands.
--
-- UTC_TIMESTAMP and NOW are the moment when the statement began, which may have waited since; SYSDATE is now, in the
-- session's time zone. Their difference is what the statement has lasted, from a minute less than nothing, where the clock
-- was set back, to 14 minutes: modulo 15 minutes, so that a change to or from summer time in the middle counts for nothing.
(TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 86460000000, 900000000) - 60000000)
