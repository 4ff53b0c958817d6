local redis = require "resty.redis"
local M = {}
local RELEASE = [[
  if redis.call("get", KEYS[1]) == ARGV[1] then
    return redis.call("del", KEYS[1])
  end
  return 0
]]

function M.take(red, name, owner)
  return red:set("lock:" .. name, owner, "NX", "PX", 10000) == "OK"
end

function M.give(red, name, owner)
  local n, err = red:eval(RELEASE, 1, "lock:" .. name, owner)
  if n ~= 1 then
    return nil, err or "lost"
  end
  return true
end

return M
