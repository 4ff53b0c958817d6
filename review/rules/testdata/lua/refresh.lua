local redis = require "resty.redis"

local _M = {}

function _M.refresh(key, load)
  local red = redis:new()
  red:connect("127.0.0.1", 6379)
  local lock_key = "lock:" .. key
  local ok = red:setnx(lock_key, ngx.worker.pid())
  if ok ~= 1 then
    return nil
  end
  red:expire(lock_key, 10) -- want 3
  local value = load(key)
  red:set(key, value)
  red:del(lock_key) -- want 1
  return value
end

return _M
