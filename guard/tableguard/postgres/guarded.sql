-- List the guarded tables with the arguments of their triggers, and whether one of these is missing or was disabled, or something goes past it: rows that are written by the name of a parent, or a trigger that changes columns once they were judged.
SELECT t.tgrelid::regclass::text, encode(t.tgargs, 'hex'),
	t.tgenabled <> 'A' OR p.proname = 'guard_statement' AND EXISTS (SELECT FROM pg_inherits WHERE inhrelid = t.tgrelid)
	OR NOT EXISTS (SELECT FROM pg_trigger AS other WHERE other.tgrelid = t.tgrelid
		AND other.tgname = CASE p.proname WHEN 'guard_statement' THEN 'ringfence_guard_applied' ELSE 'ringfence_guard_truncate' END)
	OR EXISTS (SELECT FROM pg_trigger AS other JOIN pg_proc AS judge ON judge.oid = other.tgfoid
		WHERE judge.pronamespace = n.oid AND judge.proname <> 'guard_signed' AND other.tgenabled = 'D'
		AND (other.tgrelid = t.tgrelid OR other.tgrelid IN (SELECT relid FROM pg_partition_tree(t.tgrelid))))
	OR t.tgnargs > 2 AND p.proname = 'guard_row' AND EXISTS (SELECT FROM pg_trigger AS later WHERE later.tgtype::int & 3 = 3 AND later.tgname > 'zzz_ringfence_guard'
		AND (later.tgrelid = t.tgrelid OR later.tgrelid IN (SELECT relid FROM pg_partition_tree(t.tgrelid)))),
	p.proname = 'guard_statement'
FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = 'ringfence' AND NOT t.tgisinternal AND t.tgparentid = 0
	AND (p.proname = 'guard_statement' AND t.tgtype::int & 4 <> 0 OR t.tgname = 'zzz_ringfence_guard' AND t.tgqual IS NULL)
ORDER BY 1
