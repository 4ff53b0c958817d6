-- Removes the places in the line for the name ?1 that have lapsed.
DELETE FROM ringfence_line WHERE name = ?1 AND lapses_at <= CAST(round(unixepoch('subsec') * 1000) AS INTEGER) RETURNING place
