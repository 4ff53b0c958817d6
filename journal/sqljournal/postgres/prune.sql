-- Removes the rows before the place $1.
DELETE FROM ringfence.journal
WHERE seq < $1::bigint
