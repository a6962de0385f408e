-- Sets a record that cannot be read aside, unless it has changed since it was read.
--
-- KEYS    [1] the record  [2] where it is kept for an operator to look at; in the same slot
-- ARGV    [1] the fingerprint of what could not be read, see fingerprint.lua; '' if the record is no text at all
--         [2] how long it is kept there, in milliseconds
-- reply   1 if it was set aside, else 0

local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return 0
end
if kind == 'string' and redis.sha1hex(redis.call('GET', KEYS[1])) ~= ARGV[1] then
  return 0
end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
