-- Say what stands behind the name of a table; no row where nothing does. $1 is the schema or empty, $2 the name, $3 the columns in need.
SELECT format('%I.%I', n.nspname, c.relname),
	c.relkind = 'p' OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid), -- rows of it are written by the name of another table
	CASE
		WHEN c.relkind NOT IN ('r', 'p') THEN 'it is a ' || CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
			WHEN 'f' THEN 'foreign table' WHEN 'S' THEN 'sequence' WHEN 'i' THEN 'index' ELSE 'relation of another kind' END || '; guard the tables that are written to'
		WHEN c.relispartition THEN 'it is a partition; guard ' || (SELECT inhparent::regclass::text FROM pg_inherits WHERE inhrelid = c.oid LIMIT 1)
		WHEN c.relpersistence = 't' THEN 'it is a temporary table'
		WHEN n.nspname = 'ringfence' THEN 'it is one of our own'
		WHEN c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid) THEN 'other tables inherit from it, and what is written to them directly would pass; guard each of them alone'
		WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attgenerated <> '' AND attname = ANY (string_to_array($3, E'\n')))
			THEN 'the lease names a generated column, which has no value yet when a row is judged; name the columns that it is made of'
		WHEN EXISTS (SELECT FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
				LEFT JOIN pg_type AS base ON base.oid = coalesce(nullif(t.typbasetype, 0), CASE t.typcategory WHEN 'A' THEN t.typelem END, t.oid)
			WHERE a.attrelid = c.oid AND a.attname = ANY (string_to_array($3, E'\n'))
			AND (base.typname IN ('timestamptz', 'float4', 'float8', 'bytea', 'interval', 'money') OR base.typcategory IN ('C', 'G', 'R')))
			THEN 'the lease names a column whose text depends on the settings of a session, so that a row could be of several leases; name columns of texts, whole numbers, or times without a zone'
		WHEN $3 <> '' AND EXISTS (SELECT FROM pg_trigger AS later WHERE later.tgrelid = c.oid AND later.tgtype::int & 3 = 3 AND later.tgname > 'zzz_ringfence_guard')
			THEN 'a trigger of its fires after the guard, and could change columns that were judged; give it a name that comes before zzz_ringfence_guard'
		WHEN NOT pg_has_role(c.relowner, 'USAGE') THEN 'only its owner, ' || pg_get_userbyid(c.relowner)::text || ', may guard it'
		ELSE ''
	END,
	coalesce((SELECT string_agg(want, ', ') FROM unnest(string_to_array($3, E'\n')) AS want
		WHERE want <> '' AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attname = want)), ''),
	coalesce((SELECT string_agg(format('%I.%I', s.nspname, p.relname), E'\n') FROM pg_partition_tree(c.oid) AS tree
		JOIN pg_class AS p ON p.oid = tree.relid JOIN pg_namespace AS s ON s.oid = p.relnamespace WHERE tree.level > 0), ''),
	to_regclass('ringfence.lease') IS NOT NULL
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = $2 AND CASE WHEN $1 = '' THEN pg_table_is_visible(c.oid) ELSE n.nspname = $1 END
