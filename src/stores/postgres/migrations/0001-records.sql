-- The records, how they are committed and how they are swept.
--
-- A psql script with one variable, the name of a schema that is there:
--   psql -1 -c 'CREATE SCHEMA IF NOT EXISTS portcullis' -v schema=portcullis -f 0001-records.sql
-- The store runs it by itself, in a transaction, where it has not been run, or where somebody has dropped one of the tables
-- and left the rest: what is there stays. All times are milliseconds since 1970.

-- Which scripts the schema has had. Each notes itself.
CREATE TABLE IF NOT EXISTS :"schema".migrations (
  version    integer PRIMARY KEY,
  file       text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO :"schema".migrations (version, file) VALUES (1, '0001-records.sql')
  ON CONFLICT (version) DO NOTHING;

CREATE TABLE IF NOT EXISTS :"schema".records (
  -- Bytewise order makes a prefix a range of the index, whatever the locale of the database.
  key        text COLLATE "C" PRIMARY KEY,
  -- The transaction that wrote the record. Never used twice, so a record that was dropped and made again is
  -- never taken for what it was before.
  version    bigint NOT NULL,
  -- JSON as the node wrote it. Not jsonb: nothing here looks inside, and jsonb refuses U+0000 in a text.
  value      text NOT NULL,
  expires_at bigint NOT NULL,
  -- Until when a block on the record runs; 0 if its last write left none.
  held_until bigint NOT NULL,
  -- What the sweep goes by. It changes once an hour and not with every write, so that nearly every update touches
  -- no index (a heap-only update).
  sweep_hour bigint NOT NULL GENERATED ALWAYS AS (expires_at / 3600000) STORED
) WITH (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX IF NOT EXISTS records_sweep ON :"schema".records (sweep_hour);
CREATE INDEX IF NOT EXISTS records_held ON :"schema".records (key) WHERE held_until > 0;

CREATE OR REPLACE FUNCTION :"schema".now_ms() RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- The functions are planned once a session and never scan the table: planning costs more than running them, and a plan
-- made while the table was small must not stay when it has grown.

-- The time, with each of the records that are there; with nothing where there are none.
CREATE OR REPLACE FUNCTION :"schema".read_records(keys text[])
RETURNS TABLE (now bigint, key text, version bigint, value text, expires_at bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = :"schema", pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT now_ms(), r.key, r.version, r.value, r.expires_at
      FROM (VALUES (1)) AS always LEFT JOIN records AS r ON r.key = ANY (keys);
END
$$;

-- The number of the lock that stands for a group.
CREATE OR REPLACE FUNCTION :"schema".group_lock(tag text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT hashtextextended(tag, 8470) $$;

-- Commits what steps have put, one record group after the other: a group is written whole if every record it was
-- decided on is still the one that was read, else not at all. The lock of a group stands for all its records, also
-- for those that are not there, which no row lock can do. It is not waited for: a group that is locked is busy.
--
-- tags          the groups, one tag each; group_of counts from 1 into it
-- lock_ms       how long to wait for a row that somebody without the group's lock has locked
-- group_of, keys, versions       every record that was read; version 0: there was none
-- new_values, expiries, holds    what to write there; a null value: nothing
--
-- Reply: one row of kind 'clock' (the version that was written, the time); for each group that was refused one of kind
-- 'busy' or 'changed', and for a changed one its records as they are now, of kind 'record'.
CREATE OR REPLACE FUNCTION :"schema".commit_groups(
  tags text[], lock_ms integer,
  group_of integer[], keys text[], versions bigint[],
  new_values text[], expiries bigint[], holds bigint[]
) RETURNS TABLE (kind text, of_group integer, key text, version bigint, value text, expires_at bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = :"schema", pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  busy integer[] := '{}';
  changed integer[] := '{}';
BEGIN
  -- What others have committed before this transaction got its locks has to be seen, and only this level shows it.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'portcullis needs read committed transactions' USING ERRCODE = 'invalid_transaction_state';
  END IF;
  PERFORM set_config('lock_timeout', lock_ms::text, true);

  SELECT coalesce(array_agg(one.number::integer), '{}') INTO busy
    FROM unnest(tags) WITH ORDINALITY AS one (tag, number)
    WHERE NOT pg_try_advisory_xact_lock(group_lock(one.tag));

  SELECT coalesce(array_agg(DISTINCT seen.of_group), '{}') INTO changed
    FROM unnest(group_of, keys, versions) AS seen (of_group, key, version)
    WHERE seen.of_group <> ALL (busy)
      AND seen.version <> coalesce((SELECT r.version FROM records AS r WHERE r.key = seen.key), 0);

  INSERT INTO records AS r (key, version, value, expires_at, held_until)
    SELECT put.key, pg_current_xact_id()::text::bigint, put.value, put.expires_at, put.held_until
      FROM unnest(group_of, keys, new_values, expiries, holds) AS put (of_group, key, value, expires_at, held_until)
      WHERE put.value IS NOT NULL AND put.of_group <> ALL (busy || changed)
      ORDER BY put.key
    ON CONFLICT (key) DO UPDATE SET
      version = excluded.version, value = excluded.value,
      expires_at = excluded.expires_at, held_until = excluded.held_until;

  RETURN QUERY
    SELECT 'clock', NULL::integer, NULL::text, pg_current_xact_id_if_assigned()::text::bigint, NULL::text,
           now_ms();
  IF cardinality(busy) = 0 AND cardinality(changed) = 0 THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT 'busy', number, NULL::text, NULL::bigint, NULL::text, NULL::bigint FROM unnest(busy) AS number
    UNION ALL
    SELECT 'changed', number, NULL::text, NULL::bigint, NULL::text, NULL::bigint FROM unnest(changed) AS number;
  RETURN QUERY
    SELECT 'record', seen.of_group, r.key, r.version, r.value, r.expires_at
      FROM unnest(group_of, keys) AS seen (of_group, key) JOIN records AS r ON r.key = seen.key
      WHERE seen.of_group = ANY (changed);
END
$$;

-- Drops at most max_records of those that expired before this hour began, and returns how many.
CREATE OR REPLACE FUNCTION :"schema".sweep(max_records integer) RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = :"schema", pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  dropped integer;
BEGIN
  -- A record that a commit is about to renew is locked by it, and skipped.
  WITH due AS MATERIALIZED (
    SELECT r.key FROM records AS r
      WHERE r.sweep_hour < now_ms() / 3600000
      ORDER BY r.sweep_hour LIMIT max_records FOR UPDATE SKIP LOCKED
  )
  DELETE FROM records AS r USING due WHERE r.key = due.key;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  RETURN dropped;
END
$$;
