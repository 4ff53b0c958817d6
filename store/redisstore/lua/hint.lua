-- Tells one who waits that a term is over: the first in line, where there is a line. Where nobody listens there, it is one
-- process of the queue, where a record has one; one that is gone, as the number of those who listen shows, is passed over. A
-- user who may not look at lines ends terms all the same.
-- queue: the processes' ids, each before a space.
local function hint(key, token, name, queue, lined, behind)
  if (not queue or queue == '') and lined ~= '1' then return end
  local l = line(name)
  if lined == '1' then
    local _, told = pcall(function() l.sweep() return l.tell(token, behind) end)
    if told == true or not queue or queue == '' then return end
  end
  local process, gone
  repeat
    process, queue = string.match(queue, '^(%S+) (.*)$')
    gone = l.unheard(process, token .. ' ' .. name)
  until not gone or queue == ''
  redis.call('HSET', key, 'waiting', queue)
end
