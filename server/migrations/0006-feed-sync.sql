-- Sources are fetched part by part (a year of NVD, an ecosystem of OSV): what each part brought, and who is at it.

alter table vulnerability_sources
  -- Who fetches it, until when nobody else does; a process that dies lets the claim run out.
  add column claimed_by uuid,
  add column claimed_until timestamptz(3),
  add column next_sync_at timestamptz(3),
  -- Syncs in a row that failed.
  add column failures integer not null default 0,
  -- What runs now, or what the last run came to: part, bytes, records, parts done.
  add column phase text not null default 'Idle' check (phase in ('Idle', 'Fetching', 'Importing')),
  add column progress jsonb,
  add column skipped_reasons jsonb not null default '{}',
  -- What an operator should look at though nothing failed.
  add column notice text;

create table vulnerability_source_parts (
  source text collate "C" not null references vulnerability_sources (source) on delete cascade,
  part text collate "C" not null,
  -- When all of it was last taken over; null: not yet.
  completed_at timestamptz(3),
  checked_at timestamptz(3),
  -- When a complete archive of it was last read.
  snapshot_read_at timestamptz(3),
  etag text,
  last_modified text,
  -- How far it was read, in the source's own terms: a checksum, a time, an archive's name.
  position text,
  record_count integer not null default 0,
  skipped_count integer not null default 0,
  skipped_reasons jsonb not null default '{}',
  last_error text,
  notice text,
  primary key (source, part)
);

-- Which complete archives held an advisory when they were last read: one that left all of them is withdrawn.
create table advisory_parts (
  source text collate "C" not null,
  part text collate "C" not null,
  advisory_id text collate "C" not null,
  primary key (source, part, advisory_id),
  foreign key (source, advisory_id) references advisories (source, id) on delete cascade
);
create index advisory_parts_advisory on advisory_parts (source, advisory_id);
