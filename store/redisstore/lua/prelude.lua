-- What the scripts share: the server's clock and identity, the making of a number, the record of a name.
--
-- KEYS[1] is the record of the store, KEYS[2] the sorted set of all names, KEYS[3] the record of a name. Times are
-- milliseconds. Every number is below 2^53, where Lua is exact, and is stored and answered as decimal text.
local epoch, per_tick, highest = 1704067200000, 4096, 9007199254740991

local function text(n) return string.format('%d', n) end

-- The clock is read once in a script: it goes on while a script runs.
local moment = redis.call('TIME')
local now = moment[1] * 1000 + moment[2] / 1000

-- The lowest number of the millisecond that lies ms from now.
local function first(ms) return (math.floor(now) - epoch + ms) * per_tick end

-- Who answers: the replication id, which is new after each restart and each promotion. weak: it may not be read.
local function server(weak)
  if weak == '1' then return 'unknown', true end
  local info = redis.call('INFO', 'replication')
  local _, at = string.find(info, 'master_replid:', 1, true)
  return string.sub(info, at + 1, at + 40), string.find(info, 'role:master', 1, true)
end

-- The record at key with up to three more of its fields, or nil. live: its term is not over.
local function record(key, ...)
  local token, attempt, state, expires, one, two, three = unpack(redis.call('HMGET', key, 'token', 'attempt', 'state', 'expires', ...))
  if not token then return nil end
  local left = expires - now
  local live = state == 'held' and left > 0
  if not live and state == 'held' then state = 'expired' end
  return { token = token, attempt = attempt, expires = expires, live = live, left = left, state = state }, one, two, three
end

-- What is left of the term of a record.
local function left(r) return r.live and text(math.floor(r.left)) or '0' end

-- What anybody may see of the record at key, and the record.
local function shown(key)
  local r, holder, granted, by = record(key, 'holder', 'granted', 'by')
  if not r then return { 'free', '0', '', '0', '0', '0', '' } end
  return { r.state, r.token, holder, granted, r.expires, left(r), r.state == 'forced' and by or '' }, r
end

-- Tells one process of the queue, where a record has one, that a term is over. One that is gone, as the number of those who
-- listen shows, is passed over. queue: the processes' ids, each before a space. A hint is no more than that: a user
-- without the right to it ends terms all the same.
local function hint(key, token, name, queue)
  if not queue or queue == '' then return end
  local heard = 0
  while heard == 0 and queue ~= '' do
    local process, rest = string.match(queue, '^(%S+) (.*)$')
    heard, queue = redis.pcall('PUBLISH', string.match(KEYS[1], '^{.-}:') .. 'hints:' .. process, token .. ' ' .. name), rest
  end
  redis.call('HSET', key, 'waiting', queue)
end
