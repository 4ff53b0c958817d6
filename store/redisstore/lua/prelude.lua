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

-- What the keys of the store begin with.
local function tag() return string.sub(KEYS[1], 1, -#'store' - 1) end

-- Tells a process something. It is a hint and no more: a user without the right to it ends terms all the same. Reports whether
-- nobody listened, as far as is known.
local function unheard(process, words)
  return redis.pcall('PUBLISH', tag() .. 'hints:' .. process, words) == 0
end

-- The line of those who wait for a name: three keys, which Redis removes when all places in them must have lapsed. One has the
-- attempts in the order of their places, one when each place lapses, one what else there is to know of each: since when
-- it waits, the process that listens for its turn or '-', and its label.
--
-- Only a script that meets a line pays for these functions.
local function line(name)
  local order, lapses, places = tag() .. 'line:' .. name, tag() .. 'lapses:' .. name, tag() .. 'places:' .. name
  local l = { order = order, lapses = lapses }

  function l.size() return redis.call('ZCARD', order) end

  function l.first() return redis.call('ZRANGE', order, 0, 0)[1] end

  function l.drop(attempt)
    redis.call('ZREM', lapses, attempt)
    redis.call('HDEL', places, attempt)
    return redis.call('ZREM', order, attempt) == 1
  end

  -- Takes out those whose places have lapsed, and reports whether another one is first by that.
  function l.sweep()
    local gone = redis.call('ZRANGE', lapses, '-inf', text(math.floor(now)), 'BYSCORE')
    if #gone == 0 then return false end
    local first = l.first()
    for i = 1, #gone, 1000 do -- as many as unpack can take with ease
      local last = math.min(i + 999, #gone)
      redis.call('ZREM', lapses, unpack(gone, i, last))
      redis.call('HDEL', places, unpack(gone, i, last))
      redis.call('ZREM', order, unpack(gone, i, last))
    end
    return l.first() ~= first
  end

  -- How many are served before an attempt, which are all where it has no place, and whether it has one.
  function l.ahead(attempt)
    local rank = redis.call('ZRANK', order, attempt)
    return rank or l.size(), rank ~= false
  end

  -- Whom the name is kept for, and for how long.
  function l.kept()
    local first = l.first()
    local _, _, holder = l.about(first)
    return holder, redis.call('ZSCORE', lapses, first) - now
  end

  function l.about(attempt)
    return string.match(redis.call('HGET', places, attempt) or '', '^(%S+) (%S+) (.*)$')
  end

  -- Gives an attempt the last place.
  function l.join(attempt, holder)
    local last = redis.call('ZRANGE', order, -1, -1, 'WITHSCORES')[2] or '0'
    redis.call('ZADD', order, text(last + 1), attempt)
    redis.call('HSET', places, attempt, text(math.floor(now)) .. ' - ' .. holder)
  end

  -- Makes a place last. most: how long any place may.
  function l.keep(attempt, ms, most)
    redis.call('ZADD', lapses, text(math.ceil(now) + ms), attempt)
    for _, key in ipairs({ order, lapses, places }) do redis.call('PEXPIRE', key, text(2 * most)) end
  end

  -- Notes which process listens for the turn of an attempt; reports whether it has a place.
  function l.listen(attempt, process)
    local since, _, holder = l.about(attempt)
    if since then redis.call('HSET', places, attempt, since .. ' ' .. process .. ' ' .. holder) end
    return since ~= nil
  end

  -- Tells the first who listens for its turn that a term is over: of all, or of those behind one attempt. Reports whether
  -- somebody was told.
  function l.tell(token, behind)
    local rank = behind and redis.call('ZRANK', order, behind)
    local from = rank and rank + 1 or 0
    for _, attempt in ipairs(redis.call('ZRANGE', order, from, from + 15)) do
      local _, process = l.about(attempt)
      if process and process ~= '-' and not unheard(process, 'turn ' .. token .. ' ' .. attempt .. ' ' .. name) then return true end
    end
    return false
  end

  return l
end

-- The line for a name, or nil where nobody stands in it. A user who may not look at lines, as one for an older release, finds none.
local function standing(name)
  local size = redis.pcall('ZCARD', tag() .. 'line:' .. name)
  return type(size) == 'number' and size > 0 and line(name) or nil
end

-- Tells one who waits that a term is over: the first in line, where there is a line. Where nobody listens there, it is one
-- process of the queue, where a record has one; one that is gone, as the number of those who listen shows, is passed over.
-- queue: the processes' ids, each before a space.
local function hint(key, token, name, queue, lined, behind)
  if lined == '1' then
    local l = line(name)
    l.sweep()
    if l.tell(token, behind) then return end
  end
  if not queue or queue == '' then return end
  local process, gone
  repeat
    process, queue = string.match(queue, '^(%S+) (.*)$')
    gone = unheard(process, token .. ' ' .. name)
  until not gone or queue == ''
  redis.call('HSET', key, 'waiting', queue)
end
