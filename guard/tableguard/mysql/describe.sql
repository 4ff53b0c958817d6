-- Say what stands behind the name of a table of this database; no row where nothing does.
SELECT t.table_type, COALESCE(t.engine, ''),
	COALESCE((SELECT GROUP_CONCAT(r.constraint_name SEPARATOR ', ') FROM information_schema.referential_constraints AS r
		WHERE r.constraint_schema = DATABASE() AND r.table_name = t.table_name
		AND (r.delete_rule IN ('CASCADE', 'SET NULL', 'SET DEFAULT') OR r.update_rule IN ('CASCADE', 'SET NULL', 'SET DEFAULT'))), ''),
	(SELECT COUNT(*) FROM information_schema.tables AS l WHERE l.table_schema = DATABASE() AND l.table_name = 'ringfence_lease')
FROM information_schema.tables AS t
WHERE t.table_schema = DATABASE() AND BINARY t.table_name = BINARY ?
