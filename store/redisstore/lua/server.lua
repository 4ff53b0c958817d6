-- Who answers: the replication id, which is new after each restart and each promotion. weak: it may not be read.
local function server(weak)
  if weak == '1' then
    primaryOnly()
    return 'unknown', true
  end
  local info = redis.call('INFO', 'replication')
  local _, at = string.find(info, 'master_replid:', 1, true)
  return string.sub(info, at + 1, at + 40), string.find(info, 'role:master', 1, true)
end
