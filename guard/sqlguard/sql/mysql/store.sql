-- Store the mark of a resource whose row is locked.
UPDATE ringfence_mark SET token = $2, seq = $3, `key` = $4, at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000, writes = writes + 1
WHERE resource = $1
