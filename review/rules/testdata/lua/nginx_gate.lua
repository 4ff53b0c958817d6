local redis = require "resty.redis"
local M = {}

local function key(id) return "gate:" .. id .. ":lock" end

function M.enter(red, id, owner)
  local ok, err = red:set(key(id), owner, "EX", 30, "NX")
  return ok == "OK", err
end

function M.leave(red, id)
  return red:del(key(id)) -- want 1
end

return M
