-- Keeps the listener of the channel $1 alive for $2 milliseconds from now. No row: it is known no more.
UPDATE ringfence.listener SET expires_at = clock_timestamp() + $2::bigint * interval '1 millisecond' WHERE channel = $1
RETURNING channel
