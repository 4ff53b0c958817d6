local redis = require "resty.redis"
local uuid = require "resty.jit-uuid"

local M = {}

local function client()
  local r = redis:new()
  r:set_timeouts(500, 500, 500)
  assert(r:connect("redis", 6379))
  return r
end

function M.take(name)
  local r, me = client(), uuid()
  local res, err = r:set("drop:" .. name, me, "NX", "PX", 5000)
  if err then -- want 9
    ngx.log(ngx.ERR, err)
    return me
  end
  if res == ngx.null then
    return nil
  end
  return me
end

function M.give(name, me)
  local r = client()
  if r:get("drop:" .. name) == me then
    r:del("drop:" .. name) -- want 2
  end
end

return M
