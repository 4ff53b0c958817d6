local redis = require "resty.redis"
local pgmoon = require "pgmoon"

local function tick(premature)
  if premature then return end
  local red = redis:new()
  red:connect("redis", 6379)
  local owner = ngx.var.hostname .. ngx.worker.pid()
  local res, err = red:set("tick:leader", owner, "NX", "PX", 9000)
  if err then
    ngx.log(ngx.WARN, "no redis: ", err)
  end
  if res == ngx.null then
    return
  end
  local pg = pgmoon.new({ database = "app" })
  pg:connect()
  pg:query("UPDATE ticks SET n = n + 1") -- want 11
end

ngx.timer.every(5, tick)
