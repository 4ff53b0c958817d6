-- Steps of those who wait: a place in line is given, or given up.

-- Gives an attempt a place in line, or lets it keep the one it has. After the name: the attempt, the label of who waits, and how:
-- for how long the place lasts, for how long any may, how many there may be, and the process that listens for this turn, or '-'.
--
-- The answer is a word, how many are ahead, and for how many milliseconds it has waited.
function steps.wait(key, name, attempt, holder, how)
  local keep, longest, most, process = string.match(how, '^(%d+) (%d+) (%d+) (%S+)$')
  local l, r, lined = line(name), record(key, 'line')
  if r and r.live and r.attempt == attempt then return 'done 0 0' end -- it was granted meanwhile
  local another = l.sweep() -- is first by now
  local ahead, placed = l.ahead(attempt)
  if not placed then
    if ahead >= tonumber(most) then return 'full' end
    l.join(attempt, holder)
  end
  if r and lined ~= '1' then redis.call('HSET', key, 'line', '1') end
  l.keep(attempt, keep, longest)
  if process ~= '-' then l.listen(attempt, process) end
  if another and not (r and r.live) then l.tell(r and r.token or '0') end
  return 'done ' .. ahead .. ' ' .. text(math.max(0, math.floor(now) - l.about(attempt)))
end

-- Gives up the place of an attempt. Who is first by that is told, where the name is free.
function steps.leave(key, name, attempt)
  local l, r, queue = line(name), record(key, 'waiting')
  local first = l.first()
  l.sweep()
  if l.drop(attempt) and r and l.size() == 0 then redis.call('HSET', key, 'line', '') end
  if l.first() ~= first and not (r and r.live) then hint(key, r and r.token or '0', name, queue, '1') end
  return 'done'
end
