-- Ends the term of a name, whoever holds it, and shows the record as it was. ARGV: who did it, the name.
local was, r = shown(KEYS[3])
if r and r.live then
  local wait = redis.call('HMGET', KEYS[3], 'waiting', 'line')
  redis.call('HSET', KEYS[3], 'state', 'forced', 'expires', text(math.floor(now)), 'by', ARGV[1])
  hint(KEYS[3], r.token, ARGV[2], wait[1], wait[2])
end
return was
