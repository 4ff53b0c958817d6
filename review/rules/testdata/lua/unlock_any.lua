-- KEYS[1] lock
-- ARGV[1] owner, ARGV[2] ms
if ARGV[2] then
  return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
end
return redis.call("DEL", KEYS[1]) -- want 1
