-- Reads a record with a fingerprint of its bytes: what a client makes of bytes that are no UTF-8 does not lead back to them.
--
-- KEYS    [1] the record
-- reply   {kind, text, fingerprint}; kind is what TYPE says, text and fingerprint are '' unless it is 'string'

local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'string' then
  return { kind, '', '' }
end
local text = redis.call('GET', KEYS[1])
return { kind, text, redis.sha1hex(text) }
