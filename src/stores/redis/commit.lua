-- Writes the records of one or more groups, each group whole or not at all, if none of its records has changed.
--
-- A group's records are compared by version, the first 16 characters of their text (none: not there). If all are as
-- expected the group is written; otherwise nothing of it is, and the reply says what is there now, so that the
-- caller can run its step again without another round trip. Groups do not depend on each other.
--
-- KEYS    the records of all groups, group after group; on a cluster all in one slot
-- ARGV    [1] number of groups
--         then for each group the number of its records
--         then for each record two: the expected version ('' if it was not there); its new text ('' to compare only)
-- reply   for each group 1 if it was written, else the texts of its records now (nil where there is none)
--
-- A text says itself until when it is kept: 13 digits of milliseconds, right after its version.

local call, sub = redis.call, string.sub
local groups = tonumber(ARGV[1])
local texts = call('MGET', unpack(KEYS))
local reply = {}
local first = 1

for group = 1, groups do
  local last = first + tonumber(ARGV[1 + group]) - 1
  local unchanged = true
  for i = first, last do
    local text = texts[i]
    if (text and sub(text, 1, 16) or '') ~= ARGV[groups + 2 * i] then
      unchanged = false
      break
    end
  end
  if unchanged then
    for i = first, last do
      local text = ARGV[groups + 2 * i + 1]
      if text ~= '' then
        call('SET', KEYS[i], text, 'PXAT', sub(text, 18, 30))
      end
    end
    reply[group] = 1
  else
    reply[group] = { unpack(texts, first, last) }
  end
  first = last + 1
end

return reply
