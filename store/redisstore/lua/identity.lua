-- Shows which server answers, which one was there before, when the change was noticed, and the floor. ARGV: weak.
local here = server(ARGV[1])
local store = redis.call('HMGET', KEYS[1], 'identity', 'previous', 'changed', 'floor')
if not store[1] then return { here, 'lost', '0', '0' } end
if store[1] ~= here then return { here, store[1], '0', store[4] } end
return { here, store[2], store[3], store[4] }
