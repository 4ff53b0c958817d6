-- Say what stands behind the name of a table; no row where nothing does.
SELECT name, type, EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ringfence_lease')
FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE NOCASE
