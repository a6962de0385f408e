-- Writes the records of one or more groups, each group whole or not at all, if none of its records has changed.
--
-- A group's records are compared by version, the first 16 characters of their text (none: not there). If all are as
-- expected the group is written; otherwise nothing of it is, and the reply says what is there now, so that the
-- caller can run its step again without another round trip. Groups do not depend on each other.
--
-- KEYS    the records of all groups, group after group; on a cluster all in one slot
-- ARGV    [1] number of groups
--         then for each group the number of its records
--         then for each record three: expected version ('' if it was not there); its time to live in milliseconds
--         ('' to compare only, '0' to delete); its new text
-- reply   for each group 1 if it was written, else the texts of its records now (nil where there is none)
--
-- A record of another type answers with a text that is no envelope. It must not raise: a script is not undone, and
-- groups before it may have been written.

local groups = tonumber(ARGV[1])
local reply = {}
local first = 1

for group = 1, groups do
  local last = first + tonumber(ARGV[1 + group]) - 1
  local unchanged = true
  for i = first, last do
    if redis.pcall('GETRANGE', KEYS[i], 0, 15) ~= ARGV[groups + 3 * i - 1] then
      unchanged = false
      break
    end
  end
  if unchanged then
    for i = first, last do
      local ttl = ARGV[groups + 3 * i]
      if ttl == '0' then
        redis.call('DEL', KEYS[i])
      elseif ttl ~= '' then
        redis.call('SET', KEYS[i], ARGV[groups + 3 * i + 1], 'PX', ttl)
      end
    end
    reply[group] = 1
  else
    local texts = {}
    for i = first, last do
      local text = redis.pcall('GET', KEYS[i])
      texts[i - first + 1] = type(text) == 'table' and text.err or text
    end
    reply[group] = texts
  end
  first = last + 1
end

return reply
