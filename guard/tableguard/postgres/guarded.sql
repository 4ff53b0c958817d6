-- List the guarded tables with the arguments of their triggers.
SELECT t.tgrelid::regclass::text, encode(t.tgargs, 'hex'), t.tgenabled::text, p.proname = 'guard_statement'
FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = 'ringfence' AND NOT t.tgisinternal AND t.tgparentid = 0
	AND (p.proname = 'guard_statement' AND t.tgtype & 4 <> 0 OR t.tgname = 'zzz_ringfence_guard' AND t.tgqual IS NULL)
ORDER BY 1
