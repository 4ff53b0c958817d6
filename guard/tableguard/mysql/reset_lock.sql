-- Lock the mark of a lease against its writers; no row where there is none.
SELECT (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096 FROM ringfence_guard_mark WHERE lease = CAST(? AS BINARY) FOR UPDATE
