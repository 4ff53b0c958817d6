-- Shows records in byte order of their names, each after its name. ARGV: lower and upper bound, how many.
--
-- KEYS[3] is what the key of each record begins with. A name without a record was deleted by hand: it is left out. The answer
-- begins with the last name that was looked at, '' where there are no more.
local names, page = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3]), {}
for _, name in ipairs(names) do
  local values, r = shown(KEYS[3] .. name)
  if r then
    page[#page + 1] = name
    for _, value in ipairs(values) do page[#page + 1] = value end
  end
end
return { #names < tonumber(ARGV[3]) and '' or names[#names], page }
