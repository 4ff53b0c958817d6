-- Shows who waits for a name, in order. ARGV: the name, the number of the place after which to begin, how many places to look at.
--
-- The answer begins with the number of the last place that was looked at, '' where there are no more. Of each waiter there are
-- its label, since when it waits, for how long that is, and how long its place lasts.
local l = line(ARGV[1])
local page = redis.call('ZRANGE', l.order, '(' .. ARGV[2], '+inf', 'BYSCORE', 'LIMIT', '0', ARGV[3], 'WITHSCORES')
local words = {}
for i = 1, #page, 2 do
  local since, _, holder = l.about(page[i])
  local left = (redis.call('ZSCORE', l.lapses, page[i]) or now) - now
  if since and left > 0 then
    for _, word in ipairs({ holder, since, text(math.max(0, math.floor(now) - since)), text(math.max(1, math.floor(left))) }) do words[#words + 1] = word end
  end
end
return { #page < 2 * ARGV[3] and '' or page[#page], words }
