-- Makes exactly this term last from now on. ARGV: token, attempt, ttl.
local r, over = exact(ARGV[1], ARGV[2])
if over then return { over, ARGV[1] } end
redis.call('HSET', KEYS[1], 'expires', text(math.ceil(now) + tonumber(ARGV[3])))
return { 'done', ARGV[1], '', ARGV[3] }
