-- Change a protected row as column_update does, if the inputs of the write are of an age that counts by the clock.
UPDATE {table} SET {set},
{fence} = {token}
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}
AND {token} <= (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
AND CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - {as_of} BETWEEN -{max_age} AND {max_age}
