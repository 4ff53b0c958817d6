local red = require("resty.redis"):new()
local ok = red:eval([[
  if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0]], 1, "lock:a", "x", 3000)
local function renew() return redis.call("PEXPIRE", KEYS[1], ARGV[1]) end
local v = red:get("lock:a")
if v == "x" then red:del("lock:a") end -- want 2
