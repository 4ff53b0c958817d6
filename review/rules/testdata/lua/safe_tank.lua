#!lua name=silo
local function fill(keys, args)
  local fence_key = keys[2]
  local fence = tonumber(args[1])
  local seen = tonumber(redis.call("GET", fence_key) or "0")
  if fence < seen then
    return redis.error_reply("STALE")
  end
  redis.call("SET", fence_key, fence)
  redis.call("SET", keys[1], args[2])
end

local function take(keys, args)
  local lock_key = keys[1]
  if redis.call("SETNX", lock_key, args[1]) == 0 then
    return 0
  end
  redis.call("PEXPIRE", lock_key, args[2])
  return redis.call("INCR", keys[2])
end

redis.register_function("fill", fill)
redis.register_function("take", take)
