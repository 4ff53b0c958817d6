-- Raise the fence column of a protected row to a token that begins a term, also where it is NULL.
UPDATE {table} SET {fence} = {token}::bigint
WHERE {row}.{id} = {key} AND ({row}.{fence} IS NULL OR {row}.{fence} <= {token}::bigint)
AND {token}::bigint <= (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
