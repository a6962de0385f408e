-- Writes the records of one or more groups, each group whole or not at all, if none of its records has changed.
--
-- A group's records are compared by version, the first 16 characters of their text. If all are as expected the group
-- is written; otherwise nothing of it is, and the reply says what is there now, so that the caller can run its step
-- again without another round trip. Groups do not depend on each other.
--
-- KEYS    the records of all groups, group after group; on a cluster all in one slot
-- ARGV    [1] what is expected, 17 characters for each record: '|' if a group begins with it, else '+'; its version,
--             16 dots if it was not there
--         then for each record its new text ('' to compare only)
-- reply   for each group 1 if it was written, else the texts of its records now (nil where there is none)
--
-- A text says itself until when it is kept: 13 digits of milliseconds, right after its version.

local call, sub, byte = redis.call, string.sub, string.byte
local expected = ARGV[1]
local texts = call('MGET', unpack(KEYS))
local reply = {}
local groups = 0
local first = 1

while first <= #KEYS do
  local last = first
  while byte(expected, 17 * last + 1) == 43 do -- '+'
    last = last + 1
  end
  local unchanged = true
  for i = first, last do
    local text = texts[i]
    if text then
      unchanged = sub(text, 1, 16) == sub(expected, 17 * i - 15, 17 * i)
    else
      unchanged = byte(expected, 17 * i) == 46 -- '.'
    end
    if not unchanged then
      break
    end
  end
  groups = groups + 1
  if unchanged then
    for i = first, last do
      local text = ARGV[1 + i]
      if text ~= '' then
        call('SET', KEYS[i], text, 'PXAT', sub(text, 18, 30))
      end
    end
    reply[groups] = 1
  else
    reply[groups] = { unpack(texts, first, last) }
  end
  first = last + 1
end

return reply
