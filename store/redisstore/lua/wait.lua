-- Notes that a process waits for a name, in turn, or that it has stopped waiting. ARGV: the process, the name, and which:
-- wait, stop, or pass, which also hands a hint that nobody took there on to the next, while the name is free.
--
-- The answer is how the name stands, and its last token.
local r = record(KEYS[3])
local queue, own = redis.call('HGET', KEYS[3], 'waiting') or '', ARGV[1] .. ' '
local at, to = string.find(queue, own, 1, true)
if ARGV[3] == 'wait' then
  if not at then redis.call('HSET', KEYS[3], 'waiting', queue .. own) end
else
  if at then queue = string.sub(queue, 1, at - 1) .. string.sub(queue, to + 1) end
  if not r and queue == '' then -- it was never leased
    redis.call('DEL', KEYS[3])
  elseif at then
    redis.call('HSET', KEYS[3], 'waiting', queue)
  end
  if ARGV[3] == 'pass' and r and not r.live then hint(KEYS[3], r.token, ARGV[2], queue) end
end
return { r and r.state or 'free', r and r.token or '0' }
