local function grab(red, name, id)
  local n = red:setnx(name, id)
  if n == 1 then
    red:expire(name, 60) -- want 3
    return true
  end
  return false
end
local function drop(red, name, id)
  if red:get(name) == id then
    red:del(name) -- want 2
  end
end
return { grab = grab, drop = drop }
