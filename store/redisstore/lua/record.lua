-- The record at key, nil where there is none, and up to three more of its fields. live: its term is not over.
local function record(key, ...)
  local token, attempt, state, expires, one, two, three = unpack(redis.call('HMGET', key, 'token', 'attempt', 'state', 'expires', ...))
  if not token then return nil, one, two, three end
  local left = expires - now
  local live = state == 'held' and left > 0
  if not live and state == 'held' then state = 'expired' end
  return { token = token, attempt = attempt, expires = expires, live = live, left = left, state = state }, one, two, three
end
