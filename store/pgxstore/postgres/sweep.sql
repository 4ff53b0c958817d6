-- Forgets the listeners that died $1 milliseconds ago, and who waited through them.
WITH dead AS (
    DELETE FROM ringfence.listener WHERE expires_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
    RETURNING channel
)
DELETE FROM ringfence.waiter WHERE listener IN (SELECT channel FROM dead)
