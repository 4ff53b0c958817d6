local key, owner = KEYS[1], ARGV[1]
local current = redis.call("GET", key)
if current ~= owner then
  return redis.error_reply("not the owner")
end
redis.call("DEL", key)
redis.call("PUBLISH", key .. ":free", "1")
return 1
