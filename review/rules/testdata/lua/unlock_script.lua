local v = redis.call("GET", KEYS[1])
if v then
  redis.call("DEL", KEYS[1]) -- want 1
end
return 1
