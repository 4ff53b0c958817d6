-- Grants a name that is free, or says who is in the way. After the name: the attempt, the label of the holder and for how long.
--
-- The answer is a word, the token, the milliseconds that are left, how many are ahead in line, and the label of who is in the way.
local floor -- nothing at or below it is granted; read by the first acquire

-- Why this server may grant nothing, or nil. The store's highest number stands beside the last one of the name, so that a
-- record which was deleted by hand takes no number back.
local function stranger()
  local store = redis.call('HMGET', KEYS[1], 'identity', 'floor', 'high')
  local here, primary = server(ARGV[1])
  if not primary then return 'replica' end
  if store[1] ~= here then return 'strange' end
  floor = math.max(tonumber(store[2]), tonumber(store[3]))
end

-- Notes that an attempt was granted the name. Where that can't be done its place lapses, and the record still says that others
-- may stand in line.
local function served(key, l, attempt)
  l.drop(attempt)
  redis.call('HSET', key, 'line', l.size() > 0 and '1' or '')
end

function steps.acquire(key, name, attempt, holder, ttl)
  local no = not floor and stranger()
  if no then return no end
  local r, owner, lined = record(key, 'holder', 'line')
  local l = (not r or lined == '1') and line(name, true)
  if r and r.attempt == attempt then
    if l then l.drop(attempt) end
    return r.live and 'same ' .. r.token .. ' ' .. text(math.floor(r.left)) or r.state .. ' ' .. r.token
  end
  local another = l and l.sweep() -- is first by now
  local ahead = l and l.ahead(attempt) or 0
  if r and r.live then
    return 'held ' .. r.token .. ' ' .. text(math.floor(r.left)) .. ' ' .. ahead .. ' ' .. owner
  elseif ahead > 0 then
    local token = r and r.token or '0'
    if another then l.tell(token) end
    local next, ms = l.kept()
    return 'kept ' .. token .. ' ' .. text(math.max(1, math.floor(ms))) .. ' ' .. ahead .. ' ' .. next
  end
  local next = math.max(math.max(r and tonumber(r.token) or 0, floor) + 1, (math.floor(now) - epoch) * per_tick)
  if next > highest then return 'exhausted' end
  local token = text(next)
  if not r then redis.call('ZADD', KEYS[2], 0, name) end
  redis.call('HSET', KEYS[1], 'high', token)
  floor = next
  redis.call('HSET', key, 'token', token, 'attempt', attempt, 'state', 'held',
    'expires', text(math.ceil(now) + ttl), 'holder', holder, 'granted', text(math.floor(now)))
  if l or lined == '1' then pcall(served, key, l or line(name), attempt) end
  return 'done ' .. token .. ' ' .. ttl
end
