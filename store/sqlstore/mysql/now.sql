-- The server's clock in microseconds since 1970, in UTC, read anew wherever it stands.
--
-- UTC_TIMESTAMP and NOW are the moment when the statement began, which may have waited since; SYSDATE is now, in the
-- session's time zone. Their difference is what the statement has lasted: modulo 15 minutes, so that a change to or from
-- summer time in the middle of it counts for nothing.
(TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 86400000000, 900000000))
