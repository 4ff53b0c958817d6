-- Removes the places that have lapsed in the lines for all names.
DELETE FROM ringfence_line WHERE lapses_at <= /*now*/ ORDER BY name, place
