-- Change a protected row as column_update does, if the inputs of the write are of an age that counts by the clock.
UPDATE {table} SET {set},
{fence} = {token}::bigint
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}::bigint
AND {token}::bigint <= (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096
AND floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - {as_of}::bigint BETWEEN -{max_age} AND {max_age}
