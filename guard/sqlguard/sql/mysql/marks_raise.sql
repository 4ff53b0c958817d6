-- Raise every lower mark of the leases whose names begin with a prefix, up to what the clock allows, as if a term had begun there.
UPDATE ringfence_mark SET token = $2, seq = 0, `key` = x'', at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000, writes = writes + 1
WHERE LEFT(lease, LENGTH($1)) = $1 AND token < $2
AND $2 <= (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096
