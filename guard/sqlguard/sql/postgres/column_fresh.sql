-- Change a protected row as column_update does, if the inputs of the write are of an age that counts by the clock, read once the row is locked: a statement that has waited looks at its condition again only where the row has changed.
UPDATE {table} SET {set},
{fence} = {token}::bigint
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}::bigint
AND {token}::bigint <= (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
AND (
	WITH locked AS MATERIALIZED (SELECT FROM {table} WHERE {row}.{id} = {key} FOR NO KEY UPDATE)
	SELECT max(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM locked
) - {as_of}::bigint BETWEEN -{max_age} AND {max_age}
