-- The server's clock in microseconds since 1970, read anew wherever it stands, in a statement whose time zone is UTC.
TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', SYSDATE(6))
