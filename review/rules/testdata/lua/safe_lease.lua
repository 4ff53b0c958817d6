-- KEYS[1] lease, KEYS[2] counter; ARGV[1] owner, ARGV[2] ms
local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then
  return {0, redis.call("PTTL", KEYS[1])}
end
local token = redis.call("INCR", KEYS[2])
redis.call("SET", KEYS[1], ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return {1, token}
