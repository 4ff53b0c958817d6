-- Raises the floor to $1, before the records with the tokens up to it go. It waits for the grants under way.
UPDATE ringfence_store SET floor = GREATEST(floor, $1) WHERE single = 1
