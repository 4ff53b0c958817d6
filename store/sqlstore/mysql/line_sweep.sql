-- Removes the places in the line for the name $1 that lapsed a minute ago.
DELETE FROM ringfence_line WHERE name = $1 AND lapses_at <= /*now*/ - 60000000
