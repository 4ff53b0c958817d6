-- Puts those who wait for the names $3 in line, at the end and in this order, for the listener of the channel $1, which
-- lives $2 milliseconds from now. Returns their places, in the same order.
WITH alive AS (
    INSERT INTO ringfence.listener (channel, expires_at)
    VALUES ($1, clock_timestamp() + $2::bigint * interval '1 millisecond')
    ON CONFLICT (channel) DO UPDATE SET expires_at = excluded.expires_at
)
INSERT INTO ringfence.waiter (name, listener)
SELECT asked.name, $1
FROM unnest($3::text[]) WITH ORDINALITY AS asked(name, nth)
ORDER BY asked.nth
RETURNING name, place
