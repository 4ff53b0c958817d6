-- Gives up the places in line of those asked for, $1. It does nothing in a session that does not commit by itself.
DELETE l FROM ($1) a STRAIGHT_JOIN ringfence_line l FORCE INDEX (attempt) ON l.name = a.name AND l.attempt = a.attempt
WHERE @@autocommit = 1
