-- Takes steps of terms: grants a name that is free or says who holds it, renews a term, releases one.
--
-- KEYS from 3 on: the record of each step's name. ARGV: weak, then for each step its kind, its name and three words more.
-- There is one answer to each step: a word, the token, the milliseconds that are left, and the holder who is in the way. A record is written last, so a step that ends with an error has done nothing, and
-- those after it are taken all the same.
local floor, high -- of the store; read by the first acquire

-- Why this server may grant nothing, or nil.
local function stranger()
  local store = redis.call('HMGET', KEYS[1], 'identity', 'floor', 'high')
  local here, primary = server(ARGV[1])
  if not primary then return 'replica' end
  if store[1] ~= here then return 'strange' end
  floor, high = tonumber(store[2]), tonumber(store[3])
end

-- The store's highest number stands beside the last one of the name, so that a record which was deleted by hand takes no
-- number back.
local function acquire(key, name, attempt, holder, ttl)
  local no = not floor and stranger()
  if no then return no end
  local r, owner = record(key, 'holder')
  if r and r.attempt == attempt then
    return (r.live and 'same ' or r.state .. ' ') .. r.token .. ' ' .. left(r)
  elseif r and r.live then
    return 'held ' .. r.token .. ' ' .. left(r) .. ' ' .. owner
  end
  local next = math.max(math.max(r and tonumber(r.token) or 0, floor, high) + 1, first(0))
  if next > highest then return 'exhausted' end
  local token = text(next)
  if not r then redis.call('ZADD', KEYS[2], 0, name) end
  redis.call('HSET', KEYS[1], 'high', token)
  high = next
  redis.call('HSET', key, 'token', token, 'attempt', attempt, 'state', 'held',
    'expires', text(math.ceil(now) + ttl), 'holder', holder, 'granted', text(math.floor(now)))
  return 'done ' .. token .. ' ' .. ttl
end

-- How exactly this term is over, or false if it is not, and two more fields of its record. A wrong attempt learns no more
-- than a stranger may.
local function over(key, token, attempt)
  local r, last, queue = record(key, 'release', 'waiting')
  if not r or r.token ~= token or r.attempt ~= attempt then return 'superseded' end
  return not r.live and r.state, last, queue
end

local function renew(key, _, token, attempt, ttl)
  local how = over(key, token, attempt)
  if how then return how .. ' ' .. token end
  redis.call('HSET', key, 'expires', text(math.ceil(now) + ttl))
  return 'done ' .. token .. ' ' .. ttl
end

-- id is that of the call, so that a copy of it is told the same.
local function release(key, name, token, attempt, id)
  local how, last, queue = over(key, token, attempt)
  if how == 'released' and last == id then return 'done ' .. token end
  if how then return how .. ' ' .. token end
  redis.call('HSET', key, 'state', 'released', 'expires', text(math.floor(now)), 'release', id)
  hint(key, token, name, queue)
  return 'done ' .. token
end

local steps, answers = { acquire = acquire, renew = renew, release = release }, {}
for i = 3, #KEYS do
  local at = 5 * (i - 3) + 2
  local done, answer = pcall(steps[ARGV[at]], KEYS[i], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
  answers[i - 2] = done and answer or type(answer) == 'string' and { err = answer } or answer
end
return answers
