-- Raises the floor to $1, before the records with the tokens up to it go.
UPDATE ringfence.store SET floor = $1::bigint WHERE floor < $1::bigint
