-- Steps of a term: it is renewed, or released.

-- How exactly a term is over, or false if it is not, and three more fields of its record. A wrong attempt learns no more than a
-- stranger may. A term that is not over is written to, which a replica refuses by itself.
local function over(key, token, attempt)
  local r, last, queue, lined = record(key, 'release', 'waiting', 'line')
  local how = false
  if not r or r.token ~= token or r.attempt ~= attempt then how = 'superseded' elseif not r.live then how = r.state end
  if how then primaryOnly() end
  return how, last, queue, lined
end

-- Renews a term. The answer is a word, the token and the milliseconds that are left.
function steps.renew(key, _, token, attempt, ttl)
  local how = over(key, token, attempt)
  if how then return how .. ' ' .. token end
  redis.call('HSET', key, 'expires', text(math.ceil(now) + ttl))
  return 'done ' .. token .. ' ' .. ttl
end

-- Releases a term. id is that of the call, so that a copy of it is told the same.
function steps.release(key, name, token, attempt, id)
  local how, last, queue, lined = over(key, token, attempt)
  if how == 'released' and last == id then return 'done ' .. token end
  if how then return how .. ' ' .. token end
  redis.call('HSET', key, 'state', 'released', 'expires', text(math.floor(now)), 'release', id)
  hint(key, token, name, queue, lined)
  return 'done ' .. token
end
