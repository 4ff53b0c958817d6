-- Read the fence column of a protected row and the clock, after a write that changed nothing.
SELECT {row}.{fence}, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 FROM {table} WHERE {row}.{id} = {key}
LOCK IN SHARE MODE
