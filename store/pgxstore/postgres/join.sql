-- Lets those who wait for the names $3, with the attempts $4, be told through the listener of the channel $1, which lives $2
-- milliseconds from now: after those who came before, and in this order. Returns their places, in the same order.
WITH alive AS (
    INSERT INTO ringfence.listener (channel, expires_at)
    VALUES ($1, clock_timestamp() + $2::bigint * interval '1 millisecond')
    ON CONFLICT (channel) DO UPDATE SET expires_at = excluded.expires_at
)
INSERT INTO ringfence.waiter (name, listener, attempt)
SELECT asked.name, $1, asked.attempt
FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS asked(name, attempt, nth)
ORDER BY asked.nth
RETURNING name, place
