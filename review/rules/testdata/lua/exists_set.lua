local redis = require "resty.redis"

local Feed = {}
Feed.__index = Feed

function Feed.new(db)
  return setmetatable({ db = db, key = "feed:reading" }, Feed)
end

function Feed:enter(r)
  local n = r:exists(self.key)
  if n == 1 then
    return false
  end
  return r:set(self.key, "1") == "OK" -- want 3
end

function Feed:read(rows)
  local r = redis:new()
  r:connect("kv", 6379)
  if not self:enter(r) then
    return
  end
  for _, row in ipairs(rows) do
    self.db:query("UPDATE feeds SET seen = 1 WHERE id = " .. row.id) -- want 4
  end
  r:del(self.key) -- want 1
end

return Feed
