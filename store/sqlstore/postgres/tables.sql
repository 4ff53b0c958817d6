-- Reads which of the two tables are there.
SELECT to_regclass('ringfence.lease') IS NOT NULL, to_regclass('ringfence.store') IS NOT NULL
