-- List the tables that demand signatures, with the roles that need none, and whether something goes past that: a trigger of it is missing or was disabled, or rows are written by the name of a parent where statements are verified.
SELECT t.tgrelid::regclass::text, encode(t.tgargs, 'hex'),
	EXISTS (SELECT FROM pg_trigger AS one WHERE one.tgfoid = t.tgfoid AND one.tgenabled <> 'A'
		AND (one.tgrelid = t.tgrelid OR one.tgrelid IN (SELECT relid FROM pg_partition_tree(t.tgrelid))))
	OR CASE WHEN t.tgtype::int & 4 <> 0 THEN EXISTS (SELECT FROM pg_inherits WHERE inhrelid = t.tgrelid)
		ELSE NOT EXISTS (SELECT FROM pg_trigger AS other WHERE other.tgrelid = t.tgrelid AND other.tgname = 'zz_ringfence_authority') END
FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = 'ringfence' AND p.proname = 'guard_signed' AND t.tgname = 'ringfence_authority'
	AND t.tgtype::int & 8 <> 0 -- one for TRUNCATE alone is that of a partition
ORDER BY 1
