-- Takes steps of terms and of those who wait: grants a name that is free or says who is in the way, renews a term, releases
-- one; gives a place in line, or gives it up.
--
-- KEYS from 3 on: the record of each step's name. ARGV: weak, then for each step its kind, its name and three words more.
-- There is one answer to each step: a word, the token, the milliseconds that are left, how many are ahead in line, and the
-- label of who is in the way. A record is written last, so a step that ends with an error has done nothing, and those after it
-- are taken all the same.
local floor, high -- of the store; read by the first acquire

-- Why this server may grant nothing, or nil.
local function stranger()
  local store = redis.call('HMGET', KEYS[1], 'identity', 'floor', 'high')
  local here, primary = server(ARGV[1])
  if not primary then return 'replica' end
  if store[1] ~= here then return 'strange' end
  floor, high = tonumber(store[2]), tonumber(store[3])
end

-- Takes the place of an attempt that was granted the name out of the line, which is nil where nobody stands in it. Where
-- that can't be done the place lapses.
local function serve(key, l, attempt)
  redis.call('HSET', key, 'line', l and (not l.drop(attempt) or l.size() > 0) and '1' or '')
end

-- The store's highest number stands beside the last one of the name, so that a record which was deleted by hand takes no
-- number back.
local function acquire(key, name, attempt, holder, ttl)
  local no = not floor and stranger()
  if no then return no end
  local r, owner, lined = record(key, 'holder', 'line')
  local l = (not r or lined == '1') and standing(name)
  if r and r.attempt == attempt then
    if l then l.drop(attempt) end
    return (r.live and 'same ' or r.state .. ' ') .. r.token .. ' ' .. left(r)
  end
  local another = l and l.sweep() -- is first by now
  local ahead = l and l.ahead(attempt) or 0
  if r and r.live then
    return 'held ' .. r.token .. ' ' .. left(r) .. ' ' .. ahead .. ' ' .. owner
  elseif ahead > 0 then
    local token = r and r.token or '0'
    if another then l.tell(token) end
    local next, ms = l.kept()
    return 'kept ' .. token .. ' ' .. text(math.max(1, math.floor(ms))) .. ' ' .. ahead .. ' ' .. next
  end
  local next = math.max(math.max(r and tonumber(r.token) or 0, floor, high) + 1, first(0))
  if next > highest then return 'exhausted' end
  local token = text(next)
  if not r then redis.call('ZADD', KEYS[2], 0, name) end
  redis.call('HSET', KEYS[1], 'high', token)
  high = next
  redis.call('HSET', key, 'token', token, 'attempt', attempt, 'state', 'held',
    'expires', text(math.ceil(now) + ttl), 'holder', holder, 'granted', text(math.floor(now)))
  if l or lined == '1' then pcall(serve, key, l, attempt) end
  return 'done ' .. token .. ' ' .. ttl
end

-- How exactly this term is over, or false if it is not, and three more fields of its record. A wrong attempt learns no more
-- than a stranger may.
local function over(key, token, attempt)
  local r, last, queue, lined = record(key, 'release', 'waiting', 'line')
  if not r or r.token ~= token or r.attempt ~= attempt then return 'superseded' end
  return not r.live and r.state, last, queue, lined
end

local function renew(key, _, token, attempt, ttl)
  local how = over(key, token, attempt)
  if how then return how .. ' ' .. token end
  redis.call('HSET', key, 'expires', text(math.ceil(now) + ttl))
  return 'done ' .. token .. ' ' .. ttl
end

-- id is that of the call, so that a copy of it is told the same.
local function release(key, name, token, attempt, id)
  local how, last, queue, lined = over(key, token, attempt)
  if how == 'released' and last == id then return 'done ' .. token end
  if how then return how .. ' ' .. token end
  redis.call('HSET', key, 'state', 'released', 'expires', text(math.floor(now)), 'release', id)
  hint(key, token, name, queue, lined)
  return 'done ' .. token
end

-- how: how long the place lasts, how long any may, how many there may be, and the process that listens for this turn, or '-'.
local function wait(key, name, attempt, holder, how)
  local keep, longest, most, process = string.match(how, '^(%d+) (%d+) (%d+) (%S+)$')
  local l, r = line(name), record(key)
  if r and r.live and r.attempt == attempt then return 'done 0 0' end -- it was granted meanwhile
  local another = l.sweep() -- is first by now
  local ahead, placed = l.ahead(attempt)
  if not placed then
    if ahead >= tonumber(most) then return 'full' end
    l.join(attempt, holder)
    if r then redis.call('HSET', key, 'line', '1') end
  end
  l.keep(attempt, keep, longest)
  if process ~= '-' then l.listen(attempt, process) end
  if another and not (r and r.live) then l.tell(r and r.token or '0') end
  return 'done ' .. ahead .. ' ' .. text(math.max(0, math.floor(now) - l.about(attempt)))
end

-- Who is first by that is told, where the name is free.
local function leave(key, name, attempt)
  local l, r, queue = line(name), record(key, 'waiting')
  local first = l.first()
  l.sweep()
  if l.drop(attempt) and r and l.size() == 0 then redis.call('HSET', key, 'line', '') end
  if l.first() ~= first and not (r and r.live) then hint(key, r and r.token or '0', name, queue, '1') end
  return 'done'
end

local steps, answers = { acquire = acquire, renew = renew, release = release, wait = wait, leave = leave }, {}
for i = 3, #KEYS do
  local at = 5 * (i - 3) + 2
  local done, answer = pcall(steps[ARGV[at]], KEYS[i], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
  answers[i - 2] = done and answer or type(answer) == 'string' and { err = answer } or answer
end
return answers
