-- Change a protected row and store the token in its fence column, if the column's token is old enough.
UPDATE {table} SET {set},
{fence} = {token}
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}
AND {token} <= (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
