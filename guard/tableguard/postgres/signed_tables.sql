-- List the tables that demand signatures, with the roles that need none.
SELECT t.tgrelid::regclass::text, encode(t.tgargs, 'hex')
FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_namespace AS n ON n.oid = p.pronamespace JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE n.nspname = 'ringfence' AND p.proname = 'guard_signed' AND t.tgname = 'ringfence_authority' AND NOT c.relispartition
ORDER BY 1
