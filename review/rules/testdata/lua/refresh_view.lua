local redis = require "resty.redis"
local _M = {}

function _M.refresh(host, rebuild)
  local red = redis:new()
  red:connect(host, 6379)
  local ok = red:set("refresh:lock", ngx.worker.pid(), "NX", "EX", 10)
  if ok ~= "OK" then
    return false
  end
  rebuild()
  red:del("refresh:lock") -- want 1
  return true
end

return _M
