-- Is acquire_one.sql for an attempt with a place in line, which goes in the same step.
WITH granted AS (
/*acquire_one*/
), gone AS (
    DELETE FROM ringfence.line WHERE name = $1 AND attempt = $2 AND EXISTS (SELECT 1 FROM granted)
)
SELECT token FROM granted
