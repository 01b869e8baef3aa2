-- Merges write rows of these tables together with the advisories and vulnerabilities that they name, and neither is ever deleted. So
-- there are no foreign keys: checking each row took a fifth of an import's time in the database.

-- A row is one record of one source as last published, with what merges compare and what ratings are made of. Its text is in
-- advisory_records. Statistics of columns that no query compares are not made. Vacuuming rows that were only inserted helps queries
-- that an index answers alone; there are none here, and the server would read and write these once more, beside the next import.
create table advisories (
  source text collate "C" not null check (source in ('cvelist', 'nvd', 'osv', 'csaf')),
  id text collate "C" not null,
  content_hash bytea not null,
  -- By which published text it was written: an import does not read the same text again. One byte is the version of the parsers, the
  -- rest a hash. null: the text is unknown, as the record came in a bundle, or no archive holds it any more.
  text_hash bytea,
  aliases text[] not null,
  -- The CVE ids the record is evidence for: those it names, else those it says it is derived from.
  cve_ids text[] not null,
  -- Its own id and aliases that are no CVE ids: what unites records that name no CVE.
  linked_ids text[] not null,
  name text,
  primary_score jsonb,
  stated_severity text,
  -- The record says that somebody disputes the vulnerability.
  is_disputed boolean not null default false,
  published_at timestamptz(3),
  modified_at timestamptz(3),
  -- When the file the record came in says it was made: decides between two texts modified at one time.
  feed_at timestamptz(3),
  withdrawn_at timestamptz(3),
  first_seen_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  primary key (source, id)
) with (autovacuum_vacuum_insert_threshold = -1);
alter table advisories
  alter column content_hash set statistics 0,
  alter column text_hash set statistics 0,
  alter column aliases set statistics 0,
  alter column cve_ids set statistics 0,
  alter column linked_ids set statistics 0,
  alter column name set statistics 0,
  alter column primary_score set statistics 0;

-- A row is the text of a record without its affected packages. Few are read at a time, and nothing looks into them: json stays the text
-- that it was, while jsonb takes each apart. Most have between 2 and 8 kB, and compressing them took a third of the time of writing
-- them, so only longer ones are compressed. An analysis reads as many pages at random as its columns have statistics, whole records
-- here, which are only ever found by their key.
create table advisory_records (
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  record json not null,
  primary key (source, advisory_id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_threshold = -1);
alter table advisory_records
  alter column source set statistics 10,
  alter column advisory_id set statistics 10,
  alter column record set statistics 0;

-- A row is an id by which a record may be united with others: `linked_ids` the other way round.
create table advisory_linked_ids (
  linked_id text collate "C" not null,
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  primary key (linked_id, source, advisory_id)
);

-- A row is what a record says about one key. A key that begins with `reference:` is an address that the record refers to; it states
-- nothing, and tells what the names of a project mean.
create table advisory_affected (
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  key text collate "C" not null,
  -- The same under any vendor (cpe:*:product).
  product_key text collate "C",
  statements json not null,
  -- Files, and folders that end in '/', that hold the vulnerability, as the first statement has them; null: they are not known.
  vulnerable_code jsonb,
  primary key (source, advisory_id, key)
) with (toast_tuple_target = 8160);
alter table advisory_affected
  alter column statements set statistics 0,
  alter column vulnerable_code set statistics 0;
create index advisory_affected_key on advisory_affected (key);
-- Which products records name by one name, and how many records name each: read from the index alone.
create index advisory_affected_products on advisory_affected (product_key, key) where product_key is not null;

-- A row says that a complete archive held the advisory when it was last read: one that left all of them is withdrawn.
create table advisory_parts (
  source text collate "C" not null,
  part text collate "C" not null,
  advisory_id text collate "C" not null,
  primary key (source, part, advisory_id)
);
create index advisory_parts_advisory on advisory_parts (source, advisory_id);
