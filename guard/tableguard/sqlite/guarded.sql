-- List the guarded tables.
SELECT name, lease, rule FROM ringfence_guarded ORDER BY name
