-- Grants a name that is free, or says who holds it. ARGV: name, attempt, holder, ttl, weak.
--
-- The store's highest number stands beside the last one of the name, so that a record which was deleted by hand
-- takes no number back. The record is written last: when any command before it is refused, nothing was granted.
local here, role = server(ARGV[5])
if role ~= 'master' then return { 'replica' } end
local store = redis.call('HMGET', KEYS[2], 'identity', 'floor', 'high')
if store[1] ~= here then return { 'strange' } end

local r = record(KEYS[1])
if r and r.attempt == ARGV[2] then
  return { r.live and 'same' or r.state, r.token, '', r.left }
elseif r and r.live then
  return { 'held', r.token, r.holder, r.left }
end

local last = math.max(r and tonumber(r.token) or 0, tonumber(store[2]), tonumber(store[3]))
local token = math.max(last + 1, first(0))
if token > highest then return { 'exhausted' } end
token = text(token)
if not r then redis.call('ZADD', KEYS[3], 0, ARGV[1]) end
redis.call('HSET', KEYS[2], 'high', token)
redis.call('HSET', KEYS[1], 'token', token, 'attempt', ARGV[2], 'holder', ARGV[3], 'state', 'held',
  'granted', text(math.floor(now)), 'expires', text(math.ceil(now) + tonumber(ARGV[4])), 'by', '', 'release', '')
return { 'done', token, '', ARGV[4] }
