-- Ends the term of a name, whoever holds it, and shows the record as it was. ARGV: who did it.
local r = record(KEYS[1])
if r and r.live then
  redis.call('HSET', KEYS[1], 'state', 'forced', 'expires', text(math.floor(now)), 'by', ARGV[1])
  hint()
end
return shown(r)
