-- Reads which of the tables are there.
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'ringfence_lease'),
       EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'ringfence_store'),
       EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'ringfence_line')
