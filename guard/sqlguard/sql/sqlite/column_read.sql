-- Read the fence column of a protected row and the clock, after a write that changed nothing.
SELECT {row}.{fence}, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) FROM {table} WHERE {row}.{id} = {key}
