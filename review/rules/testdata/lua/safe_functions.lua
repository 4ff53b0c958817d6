#!lua name=gates
local function open(keys, args)
  local seen = tonumber(redis.call('HGET', keys[1], 'fence') or '0')
  local fence = tonumber(args[1])
  if fence < seen then
    return 0
  end
  redis.call('HSET', keys[1], 'fence', fence)
  redis.call('SET', keys[2], args[2])
  return 1
end

local function take(keys, args)
  if redis.call('SETNX', keys[1], args[1]) == 1 then
    redis.call('PEXPIRE', keys[1], args[2])
    return 1
  end
  return 0
end

redis.register_function('open', open)
redis.register_function('take', take)
