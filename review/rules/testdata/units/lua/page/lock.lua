local M = {}

function M.acquire(red, name)
  return red:set("lock:" .. name, "1", "NX", "EX", 10) == "OK"
end

function M.release(red, name)
  red:del("lock:" .. name) -- want 1
end

return M
