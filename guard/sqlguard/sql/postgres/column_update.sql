-- Change a protected row and store the token in its fence column, if the column's token is old enough.
UPDATE {table} SET {set},
{fence} = {token}::bigint
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}::bigint
AND {token}::bigint <= (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
