-- Removes from the stream KEYS[1] what is older than ARGV[1] milliseconds, and all but the newest ARGV[2], and returns how
-- many went.
local moment = redis.call('TIME')
local oldest = math.max(0, math.floor(moment[1] * 1000 + moment[2] / 1000 - ARGV[1]))
return redis.call('XTRIM', KEYS[1], 'MINID', string.format('%d', oldest)) + redis.call('XTRIM', KEYS[1], 'MAXLEN', ARGV[2])
