-- Removes the places that have lapsed in the lines for all names.
DELETE FROM ringfence_line WHERE lapses_at <= CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
