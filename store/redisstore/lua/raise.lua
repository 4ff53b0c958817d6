-- Raises the floor, and records which server answers. ARGV: above, weak, the word for a record that is not there.
--
-- Where another server answers than the one on record, or there is no record, the floor also rises above every number
-- that can have been granted: a minute beyond this server's clock, since that of the lost one may have been ahead. A
-- new store can't be told from one that lost everything, so it begins there too.
local here, primary = server(ARGV[2])
if not primary then return { 'replica' } end
local store = redis.call('HMGET', KEYS[1], 'identity', 'floor', 'high')
local floor = math.max(tonumber(store[2] or '0'), tonumber(ARGV[1]))
if store[1] ~= here then
  floor = math.min(math.max(floor, (math.floor(now) - epoch + 60000) * per_tick - 1), highest)
  redis.call('HSET', KEYS[1], 'format', '1', 'identity', here, 'previous', store[1] or ARGV[3],
    'changed', (store[1] or ARGV[3]) ~= '' and text(math.floor(now)) or '0', 'high', store[3] or '0', 'floor', text(floor))
else
  redis.call('HSET', KEYS[1], 'floor', text(floor))
end
return { 'done', text(floor) }
