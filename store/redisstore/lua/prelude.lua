-- What the scripts share: the server's clock and identity, the making of a number, the record of a name.
--
-- KEYS[1] is the record of a name, KEYS[2] the record of the store, KEYS[3] the sorted set of all names. Times are
-- milliseconds. Every number is below 2^53, where Lua is exact, and is stored and answered as decimal text.
local epoch, per_tick, highest = 1704067200000, 4096, 9007199254740991

local function text(n) return string.format('%.0f', n) end

-- The clock is read once in a script: it goes on while a script runs.
local moment = redis.call('TIME')
local now = moment[1] * 1000 + moment[2] / 1000

-- The lowest number of the millisecond that lies ms from now.
local function first(ms) return (math.floor(now) - epoch + ms) * per_tick end

-- Who answers: the replication id, which is new after each restart and each promotion. weak: it may not be read.
local function server(weak)
  if weak == '1' then return 'unknown', 'master' end
  local info = redis.call('INFO', 'replication')
  return string.match(info, 'master_replid:(%x+)'), string.match(info, 'role:(%a+)')
end

-- The record at key, or nil. live: its term is not over.
local function record(key)
  local v = redis.call('HMGET', key, 'token', 'attempt', 'state', 'expires', 'holder', 'granted', 'by', 'release')
  if not v[1] then return nil end
  local left = v[4] - now
  local live = v[3] == 'held' and left > 0
  return {
    token = v[1], attempt = v[2], expires = v[4], holder = v[5], granted = v[6], by = v[7], release = v[8],
    state = not live and v[3] == 'held' and 'expired' or v[3], live = live, left = live and text(math.floor(left)) or '0',
  }
end

-- What anybody may see of a record.
local function shown(r)
  if not r then return { 'free', '0', '', '0', '0', '0', '' } end
  return { r.state, r.token, r.holder, r.granted, r.expires, r.left, r.by }
end

-- The record of exactly this term, or how that is over. A wrong attempt learns no more than a stranger may.
local function exact(token, attempt)
  local r = record(KEYS[1])
  if not r or r.token ~= token or r.attempt ~= attempt then return r, 'superseded' end
  if not r.live then return r, r.state end
  return r
end

-- Tells those who wait for the name. It is a hint: a user without the right to it ends terms all the same.
local function hint() redis.pcall('PUBLISH', KEYS[1], '') end

