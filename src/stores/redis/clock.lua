-- The time of the node that serves a key.
--
-- TIME names no key, so a cluster client would ask any node; a script goes where its key lives, and every process
-- that uses the same key asks the same node.
--
-- KEYS    [1] the key that chooses the node; it is not read
-- ARGV    none
-- reply   seconds and microseconds, as TIME gives them

return redis.call('TIME')
