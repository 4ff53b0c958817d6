-- The line of those who wait for a name: three keys, which Redis removes when all places in them must have lapsed. One has the
-- attempts in the order of their places, one when each place lapses, one what else there is to know of each: since when
-- it waits, the process that listens for its turn or '-', and its label. standing: nil where nobody stands in it.
--
-- Only a script that meets a line pays for these functions.
local function line(name, standing)
  local tag = string.sub(KEYS[1], 1, -#'store' - 1) -- which all keys begin with
  local order, lapses, places = tag .. 'line:' .. name, tag .. 'lapses:' .. name, tag .. 'places:' .. name
  local l = { order = order, lapses = lapses }

  -- How many have a place; none where this user may not look at lines, as one for an older release.
  function l.size()
    local n = redis.pcall('ZCARD', order)
    return type(n) == 'number' and n or 0
  end

  if standing and l.size() == 0 then return nil end

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

  -- Tells a process something. It is a hint and no more: a user without the right to it ends terms all the same. Reports
  -- whether nobody listened, as far as is known.
  function l.unheard(process, words)
    return redis.pcall('PUBLISH', tag .. 'hints:' .. process, words) == 0
  end

  -- Tells the first who listens for its turn that a term is over: of all, or of those behind one attempt. Reports whether
  -- somebody was told.
  function l.tell(token, behind)
    local rank = behind and redis.call('ZRANK', order, behind)
    local from = rank and rank + 1 or 0
    for _, attempt in ipairs(redis.call('ZRANGE', order, from, from + 15)) do
      local _, process = l.about(attempt)
      if process and process ~= '-' and not l.unheard(process, 'turn ' .. token .. ' ' .. attempt .. ' ' .. name) then return true end
    end
    return false
  end

  return l
end
