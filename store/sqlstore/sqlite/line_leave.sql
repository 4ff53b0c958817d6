-- Removes the place of the attempt ?2 from the line for the name ?1.
DELETE FROM ringfence_line WHERE name = ?1 AND attempt = ?2 RETURNING place
