-- Says which format the record of the store has, '' where there is none.
return redis.call('HGET', KEYS[1], 'format') or ''
