local lock = require "resty.lock"
local l = lock:new("locks")
local elapsed, err = l:lock("key")
if not elapsed then return end
l:unlock()
