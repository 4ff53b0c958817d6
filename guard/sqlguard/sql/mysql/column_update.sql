-- Change a protected row and store the token in its fence column, if the column's token is old enough. The server hands the token back where it found the row.
UPDATE {table} SET {set},
{fence} = LAST_INSERT_ID({token})
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}
AND {token} <= (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096
