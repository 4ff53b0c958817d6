-- Raise every lower mark of the leases whose names begin with a prefix, up to what the clock allows, as if a term had begun there.
UPDATE ringfence.mark SET token = $2, seq = 0, key = '', at = clock_timestamp()
WHERE starts_with(lease, $1) AND token < $2
AND $2 <= (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
