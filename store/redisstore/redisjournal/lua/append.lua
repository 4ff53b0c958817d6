-- Appends events to the stream KEYS[1], for each of them three arguments: how many microseconds ago it was, how many it is
-- good for or empty, and what else there is to it.
local moment = redis.call('TIME')
local now = moment[1] * 1000000 + moment[2]
for i = 1, #ARGV, 3 do
  local at = now - ARGV[i]
  local till = ARGV[i + 1] == '' and '0' or string.format('%d', at + ARGV[i + 1])
  redis.call('XADD', KEYS[1], '*', 'at', string.format('%d', at), 'until', till, 'event', ARGV[i + 2])
end
