-- Removes the rows before the place $1.
DELETE FROM ringfence_journal
WHERE seq < $1
