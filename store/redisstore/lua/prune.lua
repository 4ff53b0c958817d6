-- Removes records that have been idle for long. ARGV: lower bound of the names to look at, how many of them, for how
-- long, how many to remove. Answers how many went, and the last name that it looked at, '' where there are no more.
--
-- The floor rises above what goes before it goes. KEYS[3] is what the key of each record begins with.
local names = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
local idle, most, gone, high, last = tonumber(ARGV[3]), tonumber(ARGV[4]), {}, 0, ''
for i, name in ipairs(names) do
  if #gone == most then break end
  local r = record(KEYS[3] .. name)
  if not r then
    redis.call('ZREM', KEYS[2], name)
  elseif not r.live and now - tonumber(r.expires) >= idle then
    gone[#gone + 1], high = name, math.max(high, tonumber(r.token))
  end
  last = i == #names and i < tonumber(ARGV[2]) and '' or name
end
if #gone > 0 then
  local floor = tonumber(redis.call('HGET', KEYS[1], 'floor') or '0')
  redis.call('HSET', KEYS[1], 'floor', text(math.max(floor, high)))
end
for _, name in ipairs(gone) do
  redis.call('DEL', KEYS[3] .. name)
  redis.call('ZREM', KEYS[2], name)
end
return { text(#gone), last }
