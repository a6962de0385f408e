-- Adds one to a counter. The first hit opens its window; later ones never prolong it.
--
-- KEYS    [1] the counter; [2] optional: one share of it, in the same slot
-- ARGV    [1] length of the window in milliseconds
-- reply   the count; milliseconds until the window ends
--
-- A share is 'end:count': whatever was counted before the present window has another end, and does not count. Before
-- Redis 7.0 a server does not tell the end, only what is left of the window, and that to within a few milliseconds.

local call = redis.call
local count = call('INCR', KEYS[1])
local remaining = call('PTTL', KEYS[1])
if remaining < 0 then
  remaining = tonumber(ARGV[1])
  call('PEXPIRE', KEYS[1], remaining)
end

if KEYS[2] then
  local ends, tolerance = redis.pcall('PEXPIRETIME', KEYS[1]), 0
  if type(ends) ~= 'number' then
    local time = call('TIME')
    ends, tolerance = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + remaining, 5
  end
  local share = 0
  local text = call('GET', KEYS[2])
  if text then
    local was, hits = string.match(text, '^(%d+):(%d+)$')
    if was and math.abs(tonumber(was) - ends) <= tolerance then
      share = tonumber(hits)
      ends = tonumber(was)
    end
  end
  call('SET', KEYS[2], string.format('%.0f:%.0f', ends, share + 1), 'PX', math.max(remaining, 1))
end

return { count, remaining }
