-- Reads how many places there are in the line for the name ?1.
SELECT count(*) FROM ringfence_line WHERE name = ?1
