-- What anybody may see of the record at key, and the record.
local function shown(key)
  local r, holder, granted, by = record(key, 'holder', 'granted', 'by')
  if not r then return { 'free', '0', '', '0', '0', '0', '' } end
  return { r.state, r.token, holder, granted, r.expires, r.live and text(math.floor(r.left)) or '0', r.state == 'forced' and by or '' }, r
end
