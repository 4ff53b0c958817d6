-- Raises the floor to ?1, before the records with the tokens up to it go.
UPDATE ringfence_store SET floor = ?1 WHERE floor < ?1
