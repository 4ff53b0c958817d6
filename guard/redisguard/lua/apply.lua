-- The steps at a resource: load the mark, decide, store the mark and apply the data. Redis runs all of it as one.
--
-- KEYS[1] is the mark, KEYS[2] the last write of each term under the rule sequenced. Neither ever gets a time to live.
-- An answer is { outcome, cause, token of the mark, landed, commands applied, error }.
local fields = { 'lease', 'token', 'seq', 'key' }

local function load_mark(key)
  local v = redis.call('HMGET', key, unpack(fields))
  local mark = { lease = v[1] or '', token = number(v[2] or '0'), seq = number(v[3] or '0'), key = v[4] or '' }
  if not mark.token or not mark.seq then error('the mark at ' .. key .. ' is not as this release made it') end
  return mark
end

local function store_mark(key, mark)
  redis.call('HSET', key, 'lease', mark.lease, 'token', text(mark.token), 'seq', text(mark.seq), 'key', mark.key)
end

-- Takes back a mark of which no data was applied.
local function restore(key, before)
  if before.token == 0 then redis.call('HDEL', key, 'token', 'seq', 'key') else store_mark(key, before) end
  if before.lease == '' then redis.call('HDEL', key, 'lease') end
end

-- The last write of a term: its place and its key.
local function last_of(key, token)
  local seq, id = string.match(redis.call('HGET', key, text(token)) or '', '^(%d+) (.*)$')
  return number(seq or '0'), id
end

-- Notes the last write of a term, or takes the note back.
local function note(key, token, last)
  if not last then return redis.pcall('HDEL', key, token) end
  return redis.pcall('HSET', key, token, last)
end

-- Applies commands, each as a count and as many words, and says how many were and what stopped it.
local function apply(args, from)
  local done = 0
  while from <= #args do
    local n = tonumber(args[from])
    local result = redis.pcall(unpack(args, from + 1, from + n))
    if type(result) == 'table' and result.err then return done, result.err end
    done, from = done + 1, from + n + 1
  end
  return done
end

-- Whether the words from there on are commands, each with its count before it.
local function well_formed(args, from)
  while from <= #args do
    local n = number(args[from])
    if not n or n < 1 or n > 1000 or from + n > #args then return false end
    from = from + n + 1
  end
  return true
end

-- Judges the write w and applies the commands that begin at an argument.
local function admit(keys, args, from, w, max_age)
  local rule = args[1]
  w.name, w.token, w.seq, w.key = args[2], number(args[3]), number(args[4]), args[5]
  if not well_formed(args, from) then return { 'refused', 'invalid', '0', '0', '0', 'a command without its count of words' } end
  local before = load_mark(keys[1])
  local outcome, cause, after = decide(rule, before, w, clock(), max_age)
  if outcome ~= 'admitted' then
    local landed = '0'
    if cause == 'superseded' and rule == 'sequenced' then
      local seq, id = last_of(keys[2], w.token)
      if w.seq < seq or w.seq == seq and w.key == id then landed = '1' end
    end
    return { outcome, cause or '', text(before.token), landed, '0', '' }
  end
  -- What can be refused goes first, the mark before all, and is taken back while nothing was applied.
  local term, earlier = text(w.token), false
  store_mark(keys[1], after)
  if rule == 'sequenced' then
    earlier = redis.pcall('HGET', keys[2], term)
    local refused = type(earlier) == 'table' and earlier or note(keys[2], term, text(w.seq) .. ' ' .. w.key)
    if type(refused) == 'table' and refused.err then
      restore(keys[1], before)
      return refused
    end
  end
  local done, failure = apply(args, from)
  if not failure then return { 'admitted', '', text(after.token), '0', text(done), '' } end
  if rule == 'sequenced' then note(keys[2], term, earlier) end
  if done == 0 then
    restore(keys[1], before)
  else
    -- What was applied stays, and Redis can't take it back: nothing older may land, and the place stays open.
    if w.token > before.token then before = { lease = w.name, token = w.token, seq = 0, key = '' } end
    store_mark(keys[1], before)
  end
  return { 'failed', '', text(before.token), '0', text(done), failure }
end

local function admit_step(keys, args) return admit(keys, args, 6, { as_of = 0 }, 0) end

local function admit_fresh_step(keys, args)
  return admit(keys, args, 8, { as_of = number(args[6]) }, number(args[7]))
end

local function establish_step(keys, args)
  local before = load_mark(keys[1])
  local outcome, cause, after = establish(before, { name = args[1], token = number(args[2]) }, clock())
  if after ~= before then store_mark(keys[1], after) end
  return { outcome, cause or '', text(after.token), '0', '0', '' }
end

