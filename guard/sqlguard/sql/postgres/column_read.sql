-- Read the fence column of a protected row and the clock, after a write that changed nothing.
SELECT {row}.{fence}, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM {table} WHERE {row}.{id} = {key}
