local lock = require "resty.lock"

local function fetch(key)
  local l = lock:new("locks")
  local elapsed, err = l:lock(key)
  if not elapsed then
    return nil, err
  end
  local value = ngx.shared.cache:get(key)
  if not value then
    ngx.shared.cache:add(key, "x", 10)
  end
  l:unlock()
  return value
end

return fetch
