-- Finds out which commands of the store's scripts this user may run, by calls that change nothing: some read, some name
-- what isn't there, and some are refused for their arguments, which is after the rights were checked. KEYS: one that nobody has; ARGV: a channel likewise.
local missing = {}
for _, call in ipairs({
  { 'TIME' }, { 'INFO', 'replication' }, { 'HMGET', KEYS[1], 'token' }, { 'HGET', KEYS[1], 'token' },
  { 'HSET', KEYS[1], 'field', '0', 'and no value' }, { 'DEL', KEYS[1] },
  { 'ZADD', KEYS[1], 'NX', 'XX', '0', 'member' }, { 'ZREM', KEYS[1], 'member' },
  { 'ZRANGEBYLEX', KEYS[1], '-', '+', 'LIMIT', '0', '1' }, { 'PUBLISH', ARGV[1], '' },
  { 'ZCARD', KEYS[1] }, { 'ZRANK', KEYS[1], 'member' }, { 'ZSCORE', KEYS[1], 'member' }, { 'ZRANGE', KEYS[1], '0', '0' },
  { 'HDEL', KEYS[1], 'field' }, { 'PEXPIRE', KEYS[1], '1' },
}) do
  local reply = redis.pcall(unpack(call))
  local said = type(reply) == 'table' and reply['err'] or ''
  if string.find(said, 'NOPERM', 1, true) or string.find(said, "can't run", 1, true) or string.find(said, "can't access", 1, true)
    or string.find(said, 'permission', 1, true) or string.find(said, 'nknown', 1, true) then
    missing[#missing + 1] = call[1]
  end
end
return missing
