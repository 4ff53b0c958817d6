-- Raise the fence column of a protected row to a token that begins a term, also where it is NULL.
UPDATE {table} SET {fence} = {token}
WHERE {row}.{id} = {key} AND ({row}.{fence} IS NULL OR {row}.{fence} <= {token})
AND {token} <= (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
