-- Raise the fence column of a protected row to a token that begins a term, also where it is NULL. The server hands the token back where it found the row.
UPDATE {table} SET {fence} = LAST_INSERT_ID({token})
WHERE {row}.{id} = {key} AND ({row}.{fence} IS NULL OR {row}.{fence} <= {token})
AND {token} <= (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096
