-- Read the clock, in milliseconds since 1970, in UTC whatever the session's time zone is.
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000
