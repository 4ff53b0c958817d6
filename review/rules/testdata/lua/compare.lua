local redis = require "resty.redis"
local resty_random = require "resty.random"
local str = require "resty.string"

local _M = { ttl = 5000 }

function _M.acquire(red, name)
  local owner = str.to_hex(resty_random.bytes(16))
  local res = red:set("mutex:" .. name, owner, "NX", "PX", _M.ttl)
  if res == "OK" then
    return owner
  end
end

function _M.release(red, name, owner)
  local current = red:get("mutex:" .. name)
  if current == owner then
    red:del("mutex:" .. name) -- want 2
  end
end

return _M
