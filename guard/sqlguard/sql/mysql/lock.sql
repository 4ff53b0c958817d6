-- Lock the mark of a resource, then read it and the clock; no row where there is no mark.
SELECT lease, token, seq, `key`, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000
FROM ringfence_mark WHERE resource = $1 FOR UPDATE
