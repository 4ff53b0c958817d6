-- Change a protected row as column_update does, if the inputs of the write are of an age that counts by the clock, which is read once the row is locked, as by lock.
UPDATE {table} SET {set},
{fence} = LAST_INSERT_ID({token})
WHERE {row}.{id} = {key} AND {row}.{fence} {old} {token}
AND {token} <= (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096
AND (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 86460000000, 900000000) - 60000000) DIV 1000 - {as_of} BETWEEN -{max_age} AND {max_age}
