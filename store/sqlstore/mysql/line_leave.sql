-- Gives up the places in line of those asked for, $1. It does nothing where it is not alone.
DELETE l FROM ($1) a STRAIGHT_JOIN ringfence_line l FORCE INDEX (attempt) ON l.name = a.name AND l.attempt = a.attempt
WHERE /*alone*/
