-- Reads which of the tables are there, and the engine of each that is another than InnoDB.
SELECT COALESCE(SUM(table_name = 'ringfence_lease'), 0), COALESCE(SUM(table_name = 'ringfence_store'), 0), COALESCE(SUM(table_name = 'ringfence_line'), 0),
       COALESCE(GROUP_CONCAT(CASE WHEN engine <> 'InnoDB' THEN CONCAT(table_name, ' ', engine) END SEPARATOR ', '), x'')
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name IN ('ringfence_lease', 'ringfence_store', 'ringfence_line')
