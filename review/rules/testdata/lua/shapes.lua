local redis = require "resty.redis"

local function once(red, id)
  return red:setnx("seen:" .. id, 1) == 1
end

local function rebuild(red)
  local ok = red:set("lock:rebuild", ngx.worker.pid(), "NX", "EX", 30)
  if ok ~= "OK" then
    return
  end
  ngx.log(ngx.INFO, "building")
  red:del("lock:rebuild") -- want 1
end

return { once = once, rebuild = rebuild }
