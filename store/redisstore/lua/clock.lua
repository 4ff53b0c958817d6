-- What all scripts share: the server's clock, and the making of a number.
--
-- KEYS[1] is the record of the store, KEYS[2] the sorted set of all names, KEYS[3] the record of a name. Times are
-- milliseconds. Every number is below 2^53, where Lua is exact, and is stored and answered as decimal text.
local epoch, per_tick, highest = 1704067200000, 4096, 9007199254740991

local function text(n) return string.format('%d', n) end

-- The clock is read once in a script: it goes on while a script runs.
local moment = redis.call('TIME')
local now = moment[1] * 1000 + moment[2] / 1000

-- Fails on a replica, which takes no write: what it shows may be old, and refuses nobody. No name is empty, so nothing changes.
local function primaryOnly() redis.call('ZREM', KEYS[2], '') end

-- The kinds of steps that the script takes.
local steps = {}
