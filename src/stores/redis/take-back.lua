-- Takes hits from a counter, down to nothing. Never changes when its window ends.
--
-- KEYS    [1] the counter; [2] optional: one share of it, in the same slot
-- ARGV    [1] 'share': all hits of the share; 'hit': one hit, and one of the share
--         [2] for 'hit': milliseconds until the window ended, right after the hit
-- reply   how many hits were taken
--
-- Within one window the remaining time only falls, so more of it than then means another window. Whose window a share is
-- of, its end tells: see count.lua.

local call = redis.call
local remaining = call('PTTL', KEYS[1])
if remaining < 0 then
  return 0
end

local hits, ends = 0, ''
local text = KEYS[2] and call('GET', KEYS[2])
if text then
  local was, counted = string.match(text, '^(%d+):(%d+)$')
  local window, tolerance = redis.pcall('PEXPIRETIME', KEYS[1]), 0
  if type(window) ~= 'number' then
    local time = call('TIME')
    window, tolerance = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + remaining, 5
  end
  if was and math.abs(tonumber(was) - window) <= tolerance then
    ends, hits = was, tonumber(counted)
  end
end

local taken = hits
if ARGV[1] == 'hit' then
  if remaining > tonumber(ARGV[2]) then
    return 0
  end
  taken = 1
end

if KEYS[2] then
  if hits > taken then
    call('SET', KEYS[2], ends .. ':' .. string.format('%.0f', hits - taken), 'PX', math.max(remaining, 1))
  else
    call('DEL', KEYS[2])
  end
end
if taken > 0 and call('DECRBY', KEYS[1], taken) <= 0 then
  call('DEL', KEYS[1])
end
return taken
