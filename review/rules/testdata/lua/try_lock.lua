local redis = require "redis"
local client = redis.connect("127.0.0.1", 6379)

local function with_lock(name, fn)
  local key = "lock:" .. name
  if client:setnx(key, os.time()) == false then
    return nil, "busy"
  end
  client:expire(key, 30) -- want 3
  local ok, err = pcall(fn)
  client:del(key) -- want 1
  return ok, err
end

return { with_lock = with_lock }
