-- Notes that a process listens for the turn of an attempt in line, or hands on a hint that nobody took there. ARGV: the
-- process, the name, the attempt, and which: listen or pass.
--
-- The answer says whether the attempt has a place.
local l = line(ARGV[2])
if ARGV[4] == 'listen' then return { l.listen(ARGV[3], ARGV[1]) and 'placed' or 'none' } end
local placed = l.listen(ARGV[3], '-')
local r, queue = record(KEYS[3], 'waiting')
if not (r and r.live) then hint(KEYS[3], r and r.token or '0', ARGV[2], queue, '1', ARGV[3]) end
return { placed and 'placed' or 'none' }
