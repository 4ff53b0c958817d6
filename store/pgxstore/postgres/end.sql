-- Forgets the listener of the channel $1, and who waited through it.
WITH gone AS (
    DELETE FROM ringfence.listener WHERE channel = $1
)
DELETE FROM ringfence.waiter WHERE listener = $1
