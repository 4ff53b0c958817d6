-- Ends exactly this term. ARGV: token, attempt, and an id of this call, so that a copy of it is told the same.
local r, over = exact(ARGV[1], ARGV[2])
if over == 'released' and r.release == ARGV[3] then return { 'done', ARGV[1] } end
if over then return { over, ARGV[1] } end
redis.call('HSET', KEYS[1], 'state', 'released', 'expires', text(math.floor(now)), 'release', ARGV[3])
hint()
return { 'done', ARGV[1] }
