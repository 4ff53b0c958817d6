-- The decision of package guard in Lua: pure, but for the server's clock, and the same for scripts and for the library.
--
-- A mark is { lease, token, seq, key }, token 0 where there is none. A write is { name, token, seq, key, as_of }, as_of 0
-- where its inputs have no time; max_age is 0 where the resource does not limit their age. Times are milliseconds since
-- 1970. Every number is below 2^53, where Lua is exact, and stands as decimal text wherever it is stored or answered.
local highest = 9007199254740991
local year_10000 = 253402300800000

local function text(n) return string.format('%.0f', n) end

-- A number from 0 to 2^53 - 1 in its one spelling, or nil.
local function number(s)
  if s == '0' then return 0 end
  if type(s) ~= 'string' or #s > 16 or not string.find(s, '^[1-9]%d*$') then return nil end
  local n = tonumber(s)
  return n <= highest and n or nil
end

-- A name as far as bytes tell: 1 to 512, no control character, no space at either end.
local function valid_name(s)
  return type(s) == 'string' and #s >= 1 and #s <= 512 and not string.find(s, '[%z\1-\31\127]')
    and not string.find(s, '^ ') and not string.find(s, ' $')
end

local function valid_fence(w) return valid_name(w.name) and w.token and w.token >= 1 end

local function valid_write(rule, w)
  if not w.as_of or w.as_of >= year_10000 then return false end
  if not valid_fence(w) or not w.seq or type(w.key) ~= 'string' or #w.key > 256 or string.find(w.key, '%z') then return false end
  if rule == 'sequenced' then return w.seq >= 1 and w.key ~= '' end
  return w.seq == 0 and (rule == 'latest' or rule == 'once' and w.key ~= '')
end

-- The server's clock.
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- The highest token that can have been issued: by an authority a day ahead of this clock.
local function future_limit(now)
  return math.min((now - 1704067200000 + 86400000) * 4096, highest)
end

-- What refuses the inputs of a write that would be admitted.
local function judge_age(w, max_age, now)
  if max_age == 0 then return nil end
  if now - w.as_of > max_age then return 'outdated' end
  if w.as_of - now > max_age then return 'future' end
end

-- What refuses a fence under every rule, in the order in which the causes take precedence.
local function judge(mark, w, limit)
  if mark.lease ~= '' and mark.lease ~= w.name then return 'invalid' end
  if w.token > limit then return 'future' end
  if mark.token == 0 then return 'not_established' end
  if w.token < mark.token then return 'superseded' end
end

local function decide_once(mark, w)
  if w.token > mark.token or mark.seq == 0 then return 'admitted' end
  if w.key == mark.key then return 'duplicate' end
  return 'refused', 'conflict'
end

local function decide_sequenced(mark, w)
  local last = w.token > mark.token and 0 or mark.seq
  if w.seq == last + 1 then return 'admitted' end
  if w.seq > last then return 'refused', 'out_of_sequence' end
  if w.seq < last or w.key == mark.key then return 'duplicate' end
  return 'refused', 'conflict'
end

-- The outcome, the cause of a refusal, and the mark afterwards.
local function decide(rule, mark, w, now, max_age)
  if not valid_write(rule, w) or not max_age or max_age > 0 and w.as_of == 0 then return 'refused', 'invalid', mark end
  local cause = judge(mark, w, future_limit(now))
  if cause then return 'refused', cause, mark end
  local outcome = 'admitted'
  if rule == 'once' then
    outcome, cause = decide_once(mark, w)
  elseif rule == 'sequenced' then
    outcome, cause = decide_sequenced(mark, w)
  end
  if outcome ~= 'admitted' then return outcome, cause, mark end
  cause = judge_age(w, max_age, now)
  if cause then return 'refused', cause, mark end
  local after = { lease = w.name, token = w.token, seq = 0, key = '' }
  if rule == 'once' then after.seq, after.key = 1, w.key end
  if rule == 'sequenced' then after.seq, after.key = w.seq, w.key end
  return 'admitted', nil, after
end

-- The start of a term: raises the mark, creates it where there is none, and may be repeated.
local function establish(mark, w, now)
  if not valid_fence(w) then return 'refused', 'invalid', mark end
  local cause = judge(mark, w, future_limit(now))
  if cause and cause ~= 'not_established' then return 'refused', cause, mark end
  if w.token > mark.token then return 'admitted', nil, { lease = w.name, token = w.token, seq = 0, key = '' } end
  return 'admitted', nil, mark
end

